import type { AnyEndpoint } from '../../shared/http/endpoint.ts';
import type { Team } from './team.ts';

/** A valid body for every endpoint that takes one; the generic tests require it of new endpoints. */
const bodies: Record<string, unknown> = {
  'POST /contacts': { email: 'sample@example.com' },
  'POST /contacts/bulk': { contacts: [{ email: 'sample@example.com' }] },
  'PATCH /contacts/{contact}': { first_name: 'Ann' },
  'POST /contacts/{contact}/tags': { tag_ids: [] },
  'POST /lists': { name: 'Sample' },
  'PATCH /lists/{list}': { name: 'Sample' },
  'POST /lists/{list}/contacts': { contact_ids: [1] },
  'POST /tags': { name: 'Sample' },
  'PATCH /tags/{tag}': { name: 'Sample' },
  'POST /segments': { name: 'Sample', definition: { search: 'sample' } },
  'POST /segments/preview': { definition: { search: 'sample' } },
  'PATCH /segments/{segment}': { name: 'Sample' },
  'POST /suppressions': { email: 'sample@example.com', reason: 'manual' },
  'DELETE /suppressions': { email: 'sample@example.com' },
  'POST /waitlists': { name: 'Sample' },
  'PATCH /waitlists/{waitlist}': { name: 'Sample' },
  'POST /waitlists/{waitlist}/signups': { email: 'sample@example.com' },
  'POST /waitlists/{waitlist}/invite': { count: 1 },
  'POST /campaigns': { name: 'Sample' },
  'PATCH /campaigns/{campaign}': { name: 'Sample' },
  'POST /campaigns/{campaign}/variants': {
    variants: [
      { label: 'A', subject: 'Sample' },
      { label: 'B', subject: 'Sample' },
    ],
  },
  'POST /campaigns/{campaign}/schedule': { send_at: '2030-01-01T00:00:00Z' },
  'PUT /campaigns/{campaign}/content': { html_content: '<p>Sample</p>' },
  'POST /templates': { name: 'Sample', blocks_json: [{ type: 'text', data: { text: 'Sample' } }] },
  'PATCH /templates/{template}': { name: 'Sample' },
  'POST /campaigns/{campaign}/report/share': {},
  'POST /campaigns/{campaign}/test': { emails: ['sample@example.com'] },
  'POST /sequences': { name: 'Sample' },
  'PATCH /sequences/{sequence}': { name: 'Sample' },
  'PUT /sequences/{sequence}/steps': { steps: [{ subject: 'Sample', html_content: '<p>Sample</p>' }] },
  'POST /sequences/{sequence}/subscribers': { emails: ['sample@example.com'] },
  'POST /events': { events: [{ email: 'sample@example.com', event: 'delivered' }] },
  'POST /sending-domains': { domain: 'sample.example' },
  'POST /webhooks': { url: 'https://93.184.215.14/hook', events: ['webhook.test'] },
  'PATCH /webhooks/{endpoint}': { description: 'Sample' },
  'POST /ai/polish': { content: '<p>Sample</p>' },
  'POST /ai/subject-lines': { subject: 'Sample' },
  'POST /ai/deliverability': { content: '<p>Sample</p>' },
  'POST /api-keys': { name: 'Sample' },
};

/** A message, from the team's domain when a team is given. */
const message = (team?: Team) => ({
  to: 'recipient@example.com',
  from_email: `me@${team?.domain ?? 'any.example'}`,
  subject: 'Sample',
  html: '<p>Sample</p>',
});

/** The route of an endpoint: `POST /contacts`. */
export const routeOf = (endpoint: AnyEndpoint): string => `${endpoint.method} ${endpoint.path}`;

/** A valid body for an endpoint, accepted for the given team; undefined when the endpoint takes none. */
export function sampleBody(endpoint: AnyEndpoint, team?: Team): unknown {
  if (!endpoint.body) return undefined;
  const body = routeOf(endpoint) === 'POST /send' ? message(team) : bodies[routeOf(endpoint)];
  if (body === undefined) throw new Error(`test/support/samples.ts has no body for ${routeOf(endpoint)}`);
  return body;
}

/** One record of each kind that a path can name, made for a team. */
export async function makeRecords(team: Team): Promise<Record<string, string | number>> {
  const made = async (path: string, body: unknown): Promise<number> => {
    const answer = await team.api('POST', path, body);
    if (answer.status !== 200) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body.data.id;
  };
  // Ids are per team: a few extra records keep the first team's ids out of the second one's range.
  for (let index = 0; index < 3; index++) {
    await made('/contacts', { email: `extra-${index}@example.com` });
    await made('/lists', { name: `Extra ${index}` });
    await made('/tags', { name: `Extra ${index}` });
    await made('/segments', { name: `Extra ${index}` });
    await made('/campaigns', { name: `Extra ${index}` });
    await made('/templates', { name: `Extra ${index}` });
    await made('/api-keys', { name: `Extra ${index}` });
    await made('/webhooks', bodies['POST /webhooks']);
    await made('/sequences', { name: `Extra ${index}` });
    const extra = await made('/waitlists', { name: `Extra ${index}` });
    await made(`/waitlists/${extra}/signups`, { email: 'extra@example.com' });
  }
  const waitlist = await made('/waitlists', { name: 'Record' });
  return {
    contact: await made('/contacts', { email: 'record@example.com' }),
    list: await made('/lists', { name: 'Record' }),
    tag: await made('/tags', { name: 'Record' }),
    segment: await made('/segments', { name: 'Record' }),
    campaign: await made('/campaigns', { name: 'Record' }),
    template: await made('/templates', { name: 'Record' }),
    key: await made('/api-keys', { name: 'Record' }),
    sequence: await made('/sequences', { name: 'Record' }),
    domain: team.domain,
    endpoint: await made('/webhooks', bodies['POST /webhooks']),
    waitlist,
    signup: await made(`/waitlists/${waitlist}/signups`, { email: 'record@example.com' }),
  };
}

/** An endpoint's path with `{name}` filled in. */
export function fill(endpoint: AnyEndpoint, values: Record<string, string | number>): string {
  return endpoint.path.replace(/\{(\w+)\}/g, (_all, name: string) => {
    const value = values[name];
    if (value === undefined)
      throw new Error(`test/support/samples.ts makes no record for {${name}} of ${routeOf(endpoint)}`);
    return String(value);
  });
}
