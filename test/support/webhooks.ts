import { idle } from './campaign.ts';
import { control, type Team } from './team.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
type Json = any;

/** Creates an endpoint for a URL; returns it with its secret. */
export async function subscribe(team: Team, url: string, events: string[] = ['*']): Promise<Json> {
  const { status, body } = await team.api('POST', '/webhooks', { url, events });
  if (status !== 200) throw new Error(`POST /webhooks: ${status} ${JSON.stringify(body)}`);
  return body.data;
}

/** An endpoint as the API shows it. */
export const endpointOf = async (team: Team, id: number): Promise<Json> =>
  (await team.api('GET', `/webhooks/${id}`)).body.data;

/** The attempts at an endpoint, newest first. */
export const attemptsOf = async (team: Team, id: number): Promise<Json[]> =>
  (await team.api('GET', `/webhooks/${id}/deliveries?per_page=100`)).body.data;

/** Sends a test event and waits for the end of its first attempt, and until what follows it waits for its time. */
export async function sendTest(origin: string, team: Team, id: number): Promise<void> {
  const before = (await attemptsOf(team, id)).length;
  const { status, body } = await team.api('POST', `/webhooks/${id}/test`);
  if (status !== 200) throw new Error(`POST /webhooks/${id}/test: ${status} ${JSON.stringify(body)}`);
  await until(async () => (await attemptsOf(team, id)).length > before);
  await untilWaiting(origin, team);
}

/** Waits until nothing runs for a team: what it has begun waits for its time, which may then be advanced. */
export const untilWaiting = (origin: string, team: Team): Promise<void> =>
  until(async () => {
    const { body } = await control('GET', `/idle?timeout_ms=1&team=${team.id}`, undefined, origin);
    return !(body.waiting_for ?? []).some((work: string) => work.includes('running'));
  });

/** Waits until a condition holds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error('it did not come to be within two minutes');
    await new Promise((done) => setTimeout(done, 20));
  }
}

/** Advances the stack's clock and waits until the due work is done. */
export async function advance(origin: string, seconds: number): Promise<void> {
  const { status, body } = await control('POST', '/clock', { advance_seconds: seconds }, origin);
  if (status !== 200) throw new Error(`clock: ${status} ${JSON.stringify(body)}`);
}

export { idle };
