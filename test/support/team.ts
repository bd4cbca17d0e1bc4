import { randomUUID } from 'node:crypto';
import { inject } from 'vitest';

/** An answer of the API. */
export interface Answer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
  body: any;
}

/** A team of one test. */
export interface Team {
  id: number;
  apiKey: string;
  /** Its verified sending domain. */
  domain: string;
  /** Calls the API as the team; `path` is below `/v1`. */
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The `data` of a 200 answer; throws on any other. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
  data(method: string, path: string, body?: unknown): Promise<any>;
  /** Another key of the team. */
  withKey(apiKey: string): Team;
}

/** Calls a local stack; a string body is sent as it is. */
export async function call(
  url: string,
  method = 'GET',
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    body:
      body === undefined || typeof body === 'string' || body instanceof Uint8Array
        ? (body as string)
        : JSON.stringify(body),
    redirect: 'manual',
  });
  const text = await response.text();
  const json = response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, body: json && text ? JSON.parse(text) : text };
}

/** Calls a control of the local stack. */
export async function control(
  method: string,
  path: string,
  body?: unknown,
  origin = inject('origin'),
): Promise<Answer> {
  return call(`${origin}/_local${path}`, method, body);
}

/** Creates a team with its own verified domain. */
export async function newTeam(options: { plan?: string; origin?: string; sandbox?: boolean } = {}): Promise<Team> {
  const origin = options.origin ?? inject('origin');
  const domain = `team-${randomUUID()}.example`;
  const wanted = { name: 'Test', plan: options.plan ?? 'enterprise', domains: [domain], sandbox: options.sandbox };
  const { status, body } = await control('POST', '/teams', wanted, origin);
  if (status !== 200) throw new Error(`no team: ${status} ${JSON.stringify(body)}`);
  return teamWith(origin, { id: body.team_id, apiKey: body.api_key, domain });
}

/** A team that a stack has, by one of its keys. */
export function teamWith(origin: string, { id, apiKey, domain }: Pick<Team, 'id' | 'apiKey' | 'domain'>): Team {
  const api: Team['api'] = (method, path, content, headers) =>
    call(`${origin}/v1${path}`, method, content, { authorization: `Bearer ${apiKey}`, ...headers });
  const withKey = (other: string) => teamWith(origin, { id, apiKey: other, domain });
  return { id, apiKey, domain, api, data: dataBy(api), withKey };
}

const dataBy =
  (api: Team['api']): Team['data'] =>
  async (method, path, content) => {
    const { status, body } = await api(method, path, content);
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(body)}`);
    return body.data;
  };

/** The team as a client that retries 503 up to 20 times. */
export function patient(team: Team): Team {
  const api: Team['api'] = async (...request) => {
    for (let attempt = 1; ; attempt++) {
      const answer = await team.api(...request);
      if (answer.status !== 503 || attempt === 20) return answer;
    }
  };
  return { ...team, api, data: dataBy(api) };
}

/** Makes a key with just these scopes. */
export async function keyWith(team: Team, scopes: readonly string[] | undefined, origin?: string): Promise<Team> {
  const { body } = await control('POST', '/keys', { team_id: team.id, scopes }, origin);
  return team.withKey(body.key);
}
