import { nameOf, type Schema } from './openapi-document.ts';

type Json = Record<string, unknown>;

/** Example values by field name. */
const usual: Record<string, unknown> = {
  ai_suggestions: ['Say first what the reader gets.'],
  attempt: 1,
  best_score: 78,
  blockers: [],
  bounced: 1,
  category: 'newsletter',
  clicked: 9,
  code: 'link_shortened',
  complained: 0,
  consecutive_failures: 0,
  consent_source: 'signup form',
  contact_ids: [42],
  contact_list_id: 42,
  content: '<p>We have moved. Come and see us.</p>',
  definition: { tag_ids: [42], engagement: { type: 'opened', days: 30 } },
  delay_minutes: 240,
  delay_unit: 'days',
  delay_value: 3,
  delivered: 127,
  description: 'What it is for',
  domain: 'news.example.com',
  emails: ['ada@example.com'],
  error: 'the address is suppressed',
  event_id: 'evt_0f8b7c1d2e3f4a5b6c7d8e9f0a1b2c3d',
  expires_in_days: 30,
  failed_count: 0,
  filters: { tag_ids: [42], engagement: { type: 'opened', days: 30 } },
  first_name: 'Ada',
  from_email: 'news@example.com',
  from_name: 'Ada at Example',
  has_more: false,
  html_content: '<p>Hello. <a href="{{unsubscribe_url}}">Unsubscribe</a></p>',
  invite_url: 'https://example.com/welcome',
  is_default: false,
  is_machine_open: false,
  is_system: false,
  is_winner: false,
  key: 'mw_live_4Zr0jQ8uVx2Lk7TnB1sYd9HgPw3CfA0K5x1m',
  label: 'A',
  last_name: 'Lovelace',
  legacy: false,
  limit: 1000,
  masked_key: 'mw_live_4Zr0…',
  message: 'A link goes through a shortener.',
  metadata: { company: 'Analytical Engines', city: 'London' },
  name: 'Newsletter',
  opened: 61,
  original_score: 61,
  payload: { id: 'evt_0f8b7c1d2e3f4a5b6c7d8e9f0a1b2c3d', type: 'webhook.test' },
  per_page: 25,
  percentage: 20,
  plan: 'business',
  preheader: 'What is new this month',
  provider: 'ses',
  public_url: 'https://api.example.com/w/newsletter',
  quality_score: 82,
  reason: 'It says what is inside.',
  recipients: 128,
  referral_code: 'k7Qm2x',
  remaining: 880,
  reply_to: 'ada@example.com',
  requests_per_minute: 600,
  response_body: 'ok',
  response_status: 200,
  scopes: ['contacts:read', 'contacts:write'],
  score: 12,
  secret: 'whsec_9y3oQ0mXo0mJ2s7c1yC8mC2k3m0Wm1Zr8v0sXq4fJ7E=',
  sent: 128,
  sent_count: 128,
  signup_ids: [42],
  slug: 'newsletter',
  soft_bounce_count: 0,
  spam_score: 18,
  source: 'ses',
  style: 'plain',
  subject: 'News of November',
  subscribers_count: 128,
  suggestion: 'Link to the address itself.',
  total_recipients: 128,
  tweaked_content: '<p>We have moved: come and see us.</p>',
  unsubscribed: 0,
  url: 'https://example.com/news',
  used: 120,
  variants: [
    { label: 'A', subject: 'News of November' },
    { label: 'B', subject: 'Three things from November' },
  ],
  warnings: [],
  winning_subject: 'Three things from November',
};

/** Fields that are null in an example response. */
const nullTimes = /^(unsubscribed|confirmed|expires|revoked|completed|clicked)_at$/;
const nullFields =
  /^(failure_reason|exit_reason|error(_message)?|(prev|next)_(cursor|page_url)|winner_variant_id|priority|model_used)$/;

/** Example values by format. */
const formats: Record<string, string> = {
  'date-time': '2026-11-20T10:00:00.000+00:00',
  date: '2026-11-20',
  email: 'ada@example.com',
  hostname: 'news.example.com',
  uri: 'https://example.com/news',
};

/**
 * Makes an example of a schema: its own `example`, else one made of its fields. A request shows its required and its
 * usual fields, a response all.
 */
export function exampleMaker(schemas: Json, io: 'input' | 'output') {
  const make = (given: Schema, name: string): unknown => {
    const schema = given.$ref ? (schemas[nameOf(given.$ref)] as Schema) : given;
    if ('example' in schema) return schema.example;
    if ('const' in schema) return schema.const;
    const choice = schema.oneOf ?? schema.anyOf;
    const types = [schema.type].flat();
    const nullable = choice?.some(({ type }) => type === 'null') || types.includes('null');
    if (nullable && io === 'output' && (nullTimes.test(name) || nullFields.test(name))) return null;
    if (choice) return make(choice.find(({ type }) => type !== 'null')!, name);
    const type = types.find((one) => one !== 'null');
    if (isOf(type, usual[name]) && (schema.enum?.includes(usual[name]) ?? true)) return usual[name];
    if (schema.enum) return schema.default ?? schema.enum[0];
    if (type === 'object') return record(schema);
    if (type === 'array')
      return Array(Math.max(1, Number(schema.minItems ?? 1))).fill(make(schema.items ?? {}, name.replace(/s$/, '')));
    return schema.default ?? scalar(schema, type, name);
  };

  const record = ({ properties = {}, required = [] }: Schema): unknown => {
    const shown = Object.entries(properties).filter(
      ([name]) => io === 'output' || required.includes(name) || name in usual,
    );
    return Object.fromEntries(shown.map(([name, schema]) => [name, make(schema, name)]));
  };

  return (schema: Json): unknown => make(schema, '');
}

function isOf(type: unknown, value: unknown): boolean {
  if (value === undefined) return false;
  if (Array.isArray(value)) return type === 'array';
  return typeof value === (type === 'integer' ? 'number' : type);
}

function scalar({ format, minimum = 0, maximum }: Schema, type: unknown, name: string): unknown {
  if (type === 'boolean') return true;
  if (type === 'string') return formats[String(format)] ?? 'text';
  if (type === undefined) return null;
  const value = /(^|_)ids?$/.test(name) ? 42 : type === 'number' ? 24.5 : 2;
  return Math.min(Math.max(value, Number(minimum)), Number(maximum ?? value));
}
