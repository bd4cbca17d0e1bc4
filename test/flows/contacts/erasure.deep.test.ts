import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { everyRow, finished, idle, messagesOf, readyCampaign } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { opens, type RawTable, rawTable } from '../../support/table.ts';
import { type Answer, control, newTeam, type Team } from '../../support/team.ts';

const stored = 400;
const anonymous = 'erased@anonymized.invalid';

let folder: string;
let stack: Stack;
let table: RawTable;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-erasure-'));
  stack = await startStack({ data: folder });
  table = await rawTable(folder);
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});
const clear = () => control('DELETE', '/faults', undefined, stack.origin);
afterEach(clear);

const advance = async (advance_seconds: number) => {
  await control('POST', '/clock', { advance_seconds }, stack.origin);
  await idle(stack.origin);
};

interface Person {
  team: Team;
  id: number;
  email: string;
  campaign: number;
  /** How many events the contact has. */
  events: number;
}

const bystanders = [{ email: 'aaa@example.com' }, { email: 'zzz@example.com' }];

async function contact(team: Team, email: string) {
  return (await team.api('GET', `/contacts/${email}`)).body.data;
}

async function sendTo(team: Team, email: string): Promise<number> {
  const { campaign } = await readyCampaign(team, [...bystanders, { email }]);
  expect((await team.api('POST', `/campaigns/${campaign}/send`)).status).toBe(200);
  await finished(team, campaign, stack.origin);
  await idle(stack.origin);
  return campaign;
}

async function stackNow(): Promise<number> {
  return Date.parse((await control('GET', '/clock', undefined, stack.origin)).body.now);
}

/** A recipient of a campaign with many events. */
async function person(name: string): Promise<Person> {
  const team = await newTeam({ origin: stack.origin });
  const email = `${name}@example.com`;
  const campaign = await sendTo(team, email);
  const { id } = await contact(team, email);
  await table.write(opens(team.id, { email, contact_id: id }, stored, await stackNow()));
  return { team, id, email, campaign, events: stored + 3 };
}

/** A table that fails so often that an erasure of many events cannot finish: denied calls are not retried. */
const failing = { service: 'dynamodb', operation: 'UpdateItem', error: 'AccessDeniedException', rate: 0.05 };

/** Requests an erasure; the claim that a failed request left on the Idempotency-Key ends with its lease. */
async function erase({ team, id }: Person, headers?: Record<string, string>): Promise<Answer> {
  for (;;) {
    const answer = await team.api('POST', `/contacts/${id}/erase`, undefined, headers);
    if (answer.status !== 409) return answer;
    await advance(61);
  }
}

/** Requests an erasure that fails after it has begun. */
async function cutOff(person: Person, headers?: Record<string, string>): Promise<void> {
  const { email } = person;
  await control('POST', '/faults', failing, stack.origin);
  for (;;) {
    expect((await erase(person, headers)).status).toBe(500);
    if ((await table.naming(email)).some(({ pk }) => pk.startsWith('DUE#'))) break;
  }
  await clear();
}

const isErasure = ({ sk }: { sk: string }) => sk.includes('#ERASE#');

it('finishes an interrupted erasure in the background and does not touch a new contact on the address', async () => {
  const ann = await person('ann');
  const { team, email, campaign } = ann;
  const before = await everyRow(team, `/events?campaign_id=${campaign}`);
  await cutOff(ann);
  const left = (await everyRow(team, `/events?email=${email}`)).length;
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThan(ann.events);
  expect((await team.api('GET', `/contacts/${email}`)).status).toBe(404);

  // A new contact on the address gets a message, and the old message is opened again.
  const again = (await team.api('POST', '/contacts', { email })).body.data;
  expect(again.id).not.toBe(ann.id);
  const own = await sendTo(team, email);
  await fetch(/src="([^"]+\/open[^"]*)"/.exec((await messagesOf(team, campaign, stack.origin)).get(email)!.html)![1]!);
  await idle(stack.origin);
  await advance(180);

  const events = await everyRow(team, `/events?email=${email}`);
  expect(events.map(({ event, campaign_id, contact_id }) => [event, campaign_id, contact_id]).sort()).toEqual(
    ['delivered', 'queued', 'sent'].map((event) => [event, own, again.id]),
  );
  const others = await everyRow(team, `/events?campaign_id=${campaign}&include_machine_opens=true`);
  expect(
    others
      .filter((row) => row.email === anonymous)
      .map(({ event }) => event)
      .sort(),
  ).toEqual(['delivered', 'opened', 'queued', 'sent']);
  expect(others.filter(({ event }) => event !== 'opened').map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  const listed = await everyRow(team, `/campaigns/${campaign}/recipients`);
  expect(listed.filter((row) => row.email === null)).toMatchObject([{ contact_id: null, status: 'sent' }]);
  expect((await everyRow(team, `/campaigns/${own}/recipients`)).map((row) => row.email)).toContain(email);
  await advance(600);
  expect((await table.naming(email)).filter(isErasure)).toEqual([]);
  expect(await everyRow(team, `/events?email=${email}`)).toEqual(events);

  expect((await team.api('POST', `/contacts/${again.id}/erase`)).body.data).toEqual({
    contacts_deleted: 1,
    events_anonymized: events.length,
    events_exact: true,
  });
  await advance(600);
  expect(await table.naming(email)).toEqual([]);
  const all = await everyRow(team, '/events?include_machine_opens=true');
  // One more was reported by the provider after the first erasure.
  expect(all.filter((row) => row.email === anonymous)).toHaveLength(ann.events + 1 + events.length);
});

it('empties the recipient pages of a deleted campaign that failed while it was queued', async () => {
  const team = await newTeam({ origin: stack.origin, plan: 'business' });
  const email = 'eve@example.com';
  const { campaign } = await readyCampaign(team, [...bystanders, { email }]);
  const now = await stackNow();
  await team.data('POST', `/campaigns/${campaign}/schedule`, { send_at: new Date(now + 60_000).toISOString() });
  const month = new Date(now + 60_000).toISOString().slice(0, 7);
  await table.write([{ pk: `TEAM#${team.id}`, sk: `USAGE#${month}`, emails: 999_999 }]);
  await advance(180);
  expect(await team.data('GET', `/campaigns/${campaign}`)).toMatchObject({
    status: 'failed',
    failure_reason: 'plan_allowance_exceeded',
  });
  await team.data('DELETE', `/campaigns/${campaign}`);
  await team.data('POST', `/contacts/${email}/erase`);
  await advance(600);
  expect(await table.naming(email)).toEqual([]);
});

it('answers a new count of events to a repeated request under the same Idempotency-Key', async () => {
  const bob = await person('bob');
  const key = { 'idempotency-key': 'erase-bob' };
  await cutOff(bob, key);
  const answer = await erase(bob, key);
  expect([answer.status, answer.body.data]).toEqual([
    200,
    { contacts_deleted: 1, events_anonymized: bob.events, events_exact: true },
  ]);
  await advance(600);
  expect(await table.naming(bob.email)).toEqual([]);
});

it('erases an event that was written during the erasure', async () => {
  const cleo = await person('cleo');
  const { team, id, email } = cleo;
  expect((await team.api('POST', `/contacts/${id}/erase`)).body.data.events_anonymized).toBe(cleo.events);
  expect(await everyRow(team, `/events?email=${email}`)).toEqual([]);
  await table.write(opens(team.id, { email, contact_id: id }, 1, (await stackNow()) - 1_000));
  expect(await everyRow(team, `/events?email=${email}`)).toHaveLength(1);
  await advance(600);
  expect(await table.naming(email)).toEqual([]);
});

it('keeps the suppression of an address, and no other data', async () => {
  const { team, id, email } = await person('dora');
  await team.api('PATCH', `/contacts/${id}`, { status: 'unsubscribed' });
  await team.api('DELETE', `/contacts/${id}`);
  expect((await team.api('POST', `/contacts/${id}/erase`)).status).toBe(200);
  await advance(600);
  expect((await table.naming(email)).map(({ pk }) => pk)).toEqual([`TEAM#${team.id}#SUPPRESSION`]);
});
