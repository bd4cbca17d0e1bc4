import { expect, it } from 'vitest';
import type { UsageReport } from '../../../local/usage.ts';
import { shardOf } from '../../../shared/data/sequences/shards.ts';
import { enrol, newContacts, newSequence, newStep } from '../../support/sequence.ts';
import { type RawTable, type Row, rawTable } from '../../support/table.ts';
import { control } from '../../support/team.ts';
import { day, folder, forward, hour, patch, sent, stack, team, withOne } from './sequences.setup.ts';

const subscribers = (sequence: number) => `TEAM#${team.id}#SEQUENCE#${sequence}#SUBSCRIBERS`;
const stamp = async (seconds: number) => {
  const { now } = (await control('GET', '/clock', undefined, stack.origin)).body;
  return new Date(Date.parse(now) + seconds * 1000).toISOString().replace('Z', '+00:00');
};
/** The marks of a team's sequence. */
const marksOf = async (table: RawTable, sequence: number) =>
  (await table.naming(`#${team.id}#${sequence}#`)).filter(({ pk }) => pk.startsWith('SEQUENCE_DUE#'));

/** The queries of a minute's jobs. */
async function queriesOfAMinute(): Promise<number> {
  await control('POST', '/usage', {}, stack.origin);
  await forward(61);
  const { functions } = (await control('DELETE', '/usage', undefined, stack.origin)).body as UsageReport;
  return functions['mailwright-dev-run-job']!.calls['dynamodb:Query']!;
}

it('reads as much in a minute with six active sequences as with one, while nobody is due', async () => {
  await withOne('first@waits.example', [newStep('A', 2)]);
  await forward(600);
  const one = await queriesOfAMinute();
  for (let count = 0; count < 5; count++) await withOne(`next${count}@waits.example`, [newStep('A', 2)]);
  await forward(600);
  expect(await queriesOfAMinute()).toBe(one);
});

it('sends the step of a subscriber that was stored after its mark was queued, and then removes the mark', async () => {
  const table = await rawTable(folder);
  const sequence = await withOne('late@marks.example', [newStep('A', 30)]);
  const [row] = (await table.partition(subscribers(sequence))) as [Row & { shard: number }];
  const [key, at] = [{ team_id: team.id, sequence_id: sequence, lane: row.shard }, await stamp(0)];
  const place = `${at}#${team.id}#${sequence}#${row.shard}`;
  await table.write([{ pk: 'SEQUENCE_DUE#3', sk: place, ...key }]);
  await forward(61);
  expect(await sent(sequence)).toEqual([]);
  await table.write([{ ...row, next_run_at: at, counted_from: await stamp(-30 * day), gsi2sk: `${at}#${row.sk}` }]);
  await forward(240);
  expect(await sent(sequence)).toHaveLength(1);
  await forward(900);
  expect((await marksOf(table, sequence)).filter(({ sk }) => sk.startsWith(at))).toEqual([]);
});

it('sends the steps of subscribers that a version without marks has stored, in their time', async () => {
  const table = await rawTable(folder);
  const sequence = await withOne('marked@before.example', [newStep('A', 30)]);
  const [row] = (await table.partition(subscribers(sequence))) as [Row];
  const emails = Array.from({ length: 6 }, (_, index) => `unmarked${index}@before.example`);
  const ids = await newContacts(team, emails);
  const { shard: _shard, ...before } = row;
  const counted_from = await stamp(-30 * day);
  for (const [index, email] of emails.entries()) {
    const next_run_at = await stamp(2 * hour + index * 1_200);
    const due = `TEAM#${team.id}#SEQUENCE#${sequence}#DUE#${shardOf({ sk: email })}`;
    const contact = {
      contact_id: ids[index],
      email,
      sk: email,
      gsi1pk: `TEAM#${team.id}#CONTACT_SEQUENCES#${ids[index]}`,
    };
    const waits = { counted_from, next_run_at, gsi2pk: due, gsi2sk: `${next_run_at}#${email}` };
    await table.write([{ ...before, ...contact, ...waits }]);
  }
  await forward(hour);
  for (let minutes = 60; minutes < 250; minutes += 5) await forward(300);
  expect((await sent(sequence)).map(({ to }) => to)).toEqual(emails);
}, 300_000);

it('sends what became due in any shard of a paused sequence once active, and keeps no mark meanwhile', async () => {
  const table = await rawTable(folder);
  const sequence = await newSequence(team, [newStep('A', 1, 'hours')]);
  const emails = Array.from({ length: 60 }, (_, index) => `p${index}@paused.example`);
  await team.api('POST', '/contacts/bulk', { contacts: emails.map((email) => ({ email })) });
  await enrol(team, sequence, emails);
  await patch(sequence, { status: 'paused' });
  for (const seconds of [hour, 600, 600]) await forward(seconds);
  expect([await marksOf(table, sequence), await sent(sequence)]).toEqual([[], []]);
  await patch(sequence, { status: 'active' });
  await forward(61);
  expect((await sent(sequence)).map(({ to }) => to).sort()).toEqual(emails.toSorted());
});
