import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { acceptedAddresses, ended, everyRow, readyCampaign, rows } from '../support/campaign.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { call, newTeam, type Team } from '../support/team.ts';

const recipients = Number(process.env.CRASH_RECIPIENTS ?? 2_000);
const kills = Number(process.env.CRASH_KILLS ?? 3);

let folder: string;
let stack: Stack;
let team: Team;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-crash-'));
  stack = await startStack({ data: folder });
  team = await newTeam({ origin: stack.origin });
});

afterAll(async () => {
  await stack?.kill();
  await rm(folder, { recursive: true, force: true });
});

/** Starts the killed stack again on the same data and the same port, which is in the team's base URL. */
async function restart(): Promise<void> {
  const port = Number(new URL(stack.origin).port);
  await stack.kill();
  stack = await startStack({ data: folder, port });
}

async function countsAddUp(campaign: number): Promise<void> {
  const { body } = await team.api('GET', `/campaigns/${campaign}`);
  if (['screening', 'queuing'].includes(body.data.status)) return;
  const listed = await everyRow(team, `/campaigns/${campaign}/recipients`);
  expect(listed.length).toBe(body.data.total_recipients);
}

it('loses nobody and mails nobody twice when the whole stack is killed again and again during a send', async () => {
  const contacts = rows(recipients);
  const { campaign } = await readyCampaign(team, contacts);
  expect((await team.api('POST', `/campaigns/${campaign}/send`)).status).toBe(200);
  for (let kill = 0; kill < kills; kill++) {
    const before = (await acceptedAddresses(stack.origin, team, campaign)).length;
    const enough = before + Math.floor((Math.random() * recipients) / kills);
    const patience = Date.now() + 5_000;
    while ((await acceptedAddresses(stack.origin, team, campaign)).length < enough && Date.now() < patience);
    await restart();
    await countsAddUp(campaign);
  }
  const finished = await ended(stack.origin, team, campaign);
  const accepted = await acceptedAddresses(stack.origin, team, campaign);
  expect(new Set(accepted).size).toBe(accepted.length);
  const listed = await everyRow(team, `/campaigns/${campaign}/recipients`);
  expect(listed.map(({ email }) => email).sort()).toEqual(contacts.map(({ email }) => email).sort());
  // Who was accepted is known as sent; who was not is unknown or failed, never simply missing.
  const sent = listed
    .filter(({ status }) => status === 'sent')
    .map(({ email }) => email)
    .sort();
  expect(sent).toEqual(accepted);
  expect(finished.total_recipients).toBe(recipients);
  expect(finished.sent_count).toBe(accepted.length);
  expect(finished.status).toBe(accepted.length === recipients ? 'sent' : 'partial');
  const { body: health } = await call(`${stack.origin}/_local/idle`);
  expect(health.idle).toBe(true);
}, 240_000);
