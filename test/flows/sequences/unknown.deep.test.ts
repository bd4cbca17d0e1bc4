import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { shardCount } from '../../../shared/data/sequences/shards.ts';
import { operate } from '../../support/operate.ts';
import { enrol, newContacts, newSequence, newStep, pass, stepsSent, subscribersOf } from '../../support/sequence.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { rawTable } from '../../support/table.ts';
import { control, newTeam, type Team } from '../../support/team.ts';

const data = mkdtempSync(join(tmpdir(), 'mailwright-sequence-unknown-'));
const emails = Array.from({ length: 12 }, (_, index) => `p${index}@unknown.example`).sort();

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ data });
});
afterEach(() => control('DELETE', '/faults', undefined, stack.origin));
afterAll(async () => {
  await stack?.stop();
  rmSync(data, { recursive: true, force: true });
});

const forward = (seconds: number) => pass(stack.origin, seconds);
const inject = (fault: object) => control('POST', '/faults', { service: 'ses', ...fault }, stack.origin);
const show = (own: Team, sequence: number) =>
  operate(data, 'sequence show', { team_id: own.id, sequence_id: sequence });

/** A sequence of two steps, the first due in a minute, the second in an hour. */
async function crowd(): Promise<{ own: Team; sequence: number }> {
  const own = await newTeam({ origin: stack.origin });
  await newContacts(own, emails);
  const sequence = await newSequence(own, [newStep('One', 1, 'minutes'), newStep('Two', 1, 'hours')]);
  expect((await enrol(own, sequence, emails)).enrolled).toBe(emails.length);
  return { own, sequence };
}

/** Writes what workers leave behind that are killed between their claims and SES's answers. */
async function leaveClaims(own: Team, sequence: number): Promise<void> {
  const { now } = (await control('GET', '/clock', undefined, stack.origin)).body;
  const page = {
    claim_id: 'killed',
    claimed_at: now.replace('Z', '+00:00'),
    lease_until: new Date(Date.parse(now) + 45_000).toISOString().replace('Z', '+00:00'),
  };
  const table = await rawTable(data);
  const rows = await table.partition(`TEAM#${own.id}#SEQUENCE#${sequence}#SUBSCRIBERS`);
  await table.write(
    Array.from({ length: shardCount }, (_, shard) => {
      const entries = rows.filter((row) => row.shard === shard).map(({ sk }) => ({ email: sk, step_id: 1, moves: 0 }));
      return { pk: `TEAM#${own.id}#SEQUENCE#${sequence}`, sk: `LANE#${shard}`, page: { ...page, entries } };
    }),
  );
}

const unknownOf = async (own: Team, sequence: number) =>
  [...(await subscribersOf(own, sequence)).values()].map(({ unknown_steps }) => unknown_steps);

describe('a step that a worker was sending when it was killed', () => {
  it('is unknown to every subscriber, is not sent again, and the next one is sent', async () => {
    const { own, sequence } = await crowd();
    await leaveClaims(own, sequence);
    await forward(5 * 60);
    expect(await unknownOf(own, sequence)).toEqual(emails.map(() => [1]));
    const shown = await show(own, sequence);
    expect([
      shown.unknown,
      shown.shards.reduce((sum: number, shard: { unknown: number }) => sum + shard.unknown, 0),
    ]).toEqual([emails.length, emails.length]);
    await forward(65 * 60);
    const messages = await stepsSent(own, sequence, stack.origin);
    expect(messages.map(({ subject }) => subject)).toEqual(emails.map(() => 'Two'));
    const inside = [...(await subscribersOf(own, sequence)).values()];
    expect(inside.map(({ status, unknown_steps }) => [status, unknown_steps])).toEqual(
      emails.map(() => ['completed', [1]]),
    );
  });

  it('counts as sent to those on whom SES has reported since', async () => {
    const { own, sequence } = await crowd();
    await inject({ operation: 'SendBulkEmail', error: 'lost_response' });
    await forward(5 * 60);
    await control('DELETE', '/faults', undefined, stack.origin);
    await forward(5 * 60);
    expect((await stepsSent(own, sequence, stack.origin)).map(({ to }) => to).sort()).toEqual(emails);
    expect(await unknownOf(own, sequence)).toEqual(emails.map(() => []));
    expect((await show(own, sequence)).unknown).toBe(0);
  });

  it('is unknown too when SES gave no answer', async () => {
    const { own, sequence } = await crowd();
    await inject({ operation: 'SendBulkEmail', error: 'InternalServiceErrorException' });
    await forward(5 * 60);
    await control('DELETE', '/faults', undefined, stack.origin);
    await forward(5 * 60);
    expect(await stepsSent(own, sequence, stack.origin)).toEqual([]);
    expect(await unknownOf(own, sequence)).toEqual(emails.map(() => [1]));
  });
});

describe('a sequence that may not send takes no send rate from others', () => {
  const reservedUntil = async () => {
    const [rate] = (await (await rawTable(data)).partition('PLATFORM')).filter(({ sk }) => sk === 'SEND_RATE');
    return rate?.booked_until;
  };

  it.each<[string, (own: Team, sequence: number) => Promise<unknown>]>([
    ['whose team is suspended', (own) => operate(data, 'team suspend', { team_id: own.id })],
    ['whose domain is not verified', (own) => own.api('DELETE', `/sending-domains/${own.domain}`)],
    ['that is paused', (own, sequence) => own.api('PATCH', `/sequences/${sequence}`, { status: 'paused' })],
    [
      'whose subscribers are suppressed',
      (own) => Promise.all(emails.map((email) => own.data('POST', '/suppressions', { email, reason: 'manual' }))),
    ],
    [
      'whose month is used up',
      async (own) => {
        const month = (await control('GET', '/clock', undefined, stack.origin)).body.now.slice(0, 7);
        await operate(data, 'team plan', { team_id: own.id, plan: 'business' });
        return (await rawTable(data)).write([{ pk: `TEAM#${own.id}`, sk: `USAGE#${month}`, emails: 1_000_000 }]);
      },
    ],
  ])('%s', async (_name, block) => {
    const { own, sequence } = await crowd();
    await block(own, sequence);
    const before = await reservedUntil();
    await forward(3 * 60);
    expect(await reservedUntil()).toBe(before);
    expect(await stepsSent(own, sequence, stack.origin)).toEqual([]);
    await own.api('DELETE', `/sequences/${sequence}`);
  });
});
