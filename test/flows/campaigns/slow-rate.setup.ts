import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { UsageReport } from '../../../local/usage.ts';
import { readyCampaign, rows } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { control, newTeam, patient, type Team } from '../../support/team.ts';

/** Emails a second of an account as SES first grants it. */
export const sendRate = 14;

export let stack: Stack;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-rate-'));
  stack = await startStack({ data: folder });
  await setRate(sendRate);
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

export async function restart(): Promise<void> {
  stack = await stack.restart();
  await setRate(sendRate);
}

/** Changes what the account may send a second, and waits until the product knows. */
export async function setRate(max_send_rate: number): Promise<void> {
  await local('POST', '/ses', { max_send_rate });
  await advance(61);
}

const local = (method: string, path: string, body?: unknown) => control(method, path, body, stack.origin);

/** Advances the clock, past what workers sleep until their moment, too: work takes no time. */
const pass = (advance_seconds: number) => local('POST', '/clock', { advance_seconds, frozen: true });
const thaw = () => local('POST', '/clock', { frozen: false });
export const advance = (seconds: number) => pass(seconds).finally(thaw);
export const now = async () => Date.parse((await local('GET', '/clock')).body.now);
export const team = async () => patient(await newTeam({ origin: stack.origin }));
export const startMetering = () => local('POST', '/usage');
export const usage = async () => (await local('GET', '/usage')).body as UsageReport;

/** A campaign to so many contacts that passes every gate. */
export const campaignTo = async (own: Team, recipients: number): Promise<number> =>
  (await readyCampaign(own, rows(recipients))).campaign;

/** So many campaigns to the same contacts. */
export async function campaignsTo(own: Team, recipients: number, count: number): Promise<number[]> {
  const { list, campaign } = await readyCampaign(own, rows(recipients));
  const { name, subject, from_name, from_email } = await own.data('GET', `/campaigns/${campaign}`);
  const made = [campaign];
  while (made.length < count) {
    const fields = { name, subject, from_name, from_email, contact_list_id: list };
    const { id } = await own.data('POST', '/campaigns', fields);
    await own.data('PUT', `/campaigns/${id}/content`, { html_content: '<p>{{unsubscribe_url}}</p>' });
    made.push(id);
  }
  return made;
}

/** Sends a campaign; a busy machine may answer only the second time. */
export async function send(own: Team, campaign: number): Promise<void> {
  const key = { 'idempotency-key': `send-${campaign}` };
  const { status, body } = await own.api('POST', `/campaigns/${campaign}/send`, undefined, key);
  if (status !== 200) throw new Error(JSON.stringify(body));
}

/** The campaign, once a condition holds, within so many seconds of the stack's time, in steps; else as it then is. */
// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
export async function within(seconds: number, own: Team, campaign: number, wanted: (found: any) => boolean, step = 5) {
  const end = (await now()) + seconds * 1_000;
  for (;;) {
    const found = await own.data('GET', `/campaigns/${campaign}`);
    const left = end - (await now());
    if (!wanted(found) && left > 0) await pass(Math.min(step, left / 1_000));
    else return thaw().then(() => found);
  }
}
