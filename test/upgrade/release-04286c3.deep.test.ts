import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { acceptedAddresses, ended, everyRow, idle } from '../support/campaign.ts';
import { type Receiver, signers, startReceiver } from '../support/receiver.ts';
import { stepsSent, subscribersOf } from '../support/sequence.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { call, control, type Team, teamWith } from '../support/team.ts';

/**
 * The data folder of a stack of commit 04286c3 that was killed, and what its API had answered. It has campaigns that
 * are sent, partly unknown, scheduled, being sent, in an A/B test, and paused in one; subscribers of a sequence,
 * a waitlist, an unconfirmed contact, and an endpoint with deliveries to be retried.
 */
const release = join(import.meta.dirname, 'release-04286c3');

let folder: string;
let stack: Stack;
let team: Team;
let receiver: Receiver;
// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
let ids: any;
let answers: Record<string, unknown>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-upgrade-'));
  for (const file of await readdir(release))
    await writeFile(join(folder, basename(file, '.br')), brotliDecompressSync(await readFile(join(release, file))));
  ({ ids, answers } = JSON.parse(await readFile(join(folder, 'answers.json'), 'utf8')));
  setClock(ids.now);
  receiver = await startReceiver();
  stack = await startStack({ data: folder, context: { webhookAllowLoopback: 'true' } });
  team = teamWith(stack.origin, { id: ids.team, apiKey: ids.key, domain: ids.domain });
});
afterAll(async () => {
  await stack?.stop();
  await receiver?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Sets the clock of a data folder to a time. */
function setClock(now: string): void {
  const state = new DatabaseSync(join(folder, 'stack.sqlite'));
  state.prepare("UPDATE state SET value = ? WHERE key = 'clock_offset'").run(String(Date.parse(now) - Date.now()));
  state.close();
}

const advance = async (advance_seconds: number) => {
  await control('POST', '/clock', { advance_seconds }, stack.origin);
  await idle(stack.origin);
};
/** A link that was mailed, at the address that the stack has now. */
const here = (link: string) => link.replace(ids.origin, stack.origin);
const accepted = (campaign: number) => acceptedAddresses(stack.origin, team, campaign);

it('carries on what a release before has stored', async () => {
  for (const [path, before] of Object.entries(answers)) {
    const expected = JSON.parse(JSON.stringify(before).replaceAll(ids.origin, stack.origin));
    if (Array.isArray(before)) {
      // The newest deliveries are of events that were queued.
      const rows = await everyRow(team, path);
      expect.soft(path.endsWith('/deliveries') ? rows.slice(-before.length) : rows, path).toMatchObject(expected);
    } else expect.soft(await team.data('GET', path), path).toMatchObject(expected);
  }

  const { id } = await team.data('GET', `/webhooks/${ids.endpoint}`);
  await team.data('PATCH', `/webhooks/${id}`, { url: `${receiver.url}/hook` });
  await ended(stack.origin, team, ids.sending);
  const report = await team.data('GET', `/campaigns/${ids.sending}/report`);
  const sending = await accepted(ids.sending);
  expect(new Set(sending).size).toBe(sending.length);
  expect(sending.length).toBeGreaterThan(ids.sent_before);
  expect(sending.length + (report.unknown?.recipients ?? 0)).toBe(300);

  await advance(6 * 3_600);
  const created = Map.groupBy(receiver.to('/hook'), ({ body }) => body.data.email);
  expect([...created.keys()].sort()).toEqual([
    ...Array.from({ length: 8 }, (_, index) => `hooked${index}@webhook.example`),
    ...Array.from({ length: 3 }, (_, index) => `late${index}@webhook.example`),
  ]);
  const last = receiver.received.at(-1)!;
  const [, signedAt] = /t=(\d+)/.exec(String(last.headers['service-signature']))!;
  expect(signers(last, [ids.secret], Number(signedAt))).toEqual([ids.secret]);

  expect((await call(here(ids.unsubscribe_link), 'POST')).status).toBe(200);
  const [unsubscribed] = await everyRow(team, `/events?event=unsubscribed&email=${ids.unsubscribe_address}`);
  expect(unsubscribed).toMatchObject({ campaign_id: ids.sent });
  expect((await call(here(ids.confirm_link), 'POST')).status).toBe(200);
  expect(await everyRow(team, `/contacts?list_id=${ids.opt_in}`)).toMatchObject([{ status: 'active' }]);
  expect((await call(here(ids.share.data.url))).status).toBe(200);

  const { unknown } = (await team.data('GET', `/campaigns/${ids.partial}/report`)) as {
    unknown: { recipients: number };
  };
  const before = (await accepted(ids.partial)).length;
  await team.data('POST', `/campaigns/${ids.partial}/resend-unknown`);
  expect(await ended(stack.origin, team, ids.partial)).toMatchObject({ status: 'sent', sent_count: 60 });
  expect(await accepted(ids.partial)).toHaveLength(before + unknown.recipients);

  await team.data('POST', `/campaigns/${ids.tested}/resume`);
  await advance(2 * 86_400);
  for (const campaign of [ids.testing, ids.tested]) {
    expect(await ended(stack.origin, team, campaign)).toMatchObject({ status: 'sent', sent_count: 60 });
    expect(new Set(await accepted(campaign)).size).toBe(60);
    expect(await accepted(campaign)).toHaveLength(60);
  }
  expect(await ended(stack.origin, team, ids.scheduled)).toMatchObject({ status: 'sent', sent_count: 30 });

  const states = [...(await subscribersOf(team, ids.sequence)).values()].map(({ status }) => status);
  expect(states).toEqual(ids.subscribers.map(() => 'completed'));
  const steps = (await stepsSent(team, ids.sequence, stack.origin)).map(({ to, subject }) => `${to} ${subject}`);
  const wanted = ids.subscribers.flatMap((email: string) => [`${email} Next`, `${email} Welcome`]);
  expect(steps.sort()).toEqual(wanted.sort());
});
