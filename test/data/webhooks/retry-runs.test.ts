import { expect, it } from 'vitest';
import { keys } from '../../../shared/data/keys.ts';
import * as table from '../../../shared/data/table.ts';
import * as webhooks from '../../../shared/data/webhooks/endpoints.ts';
import * as runs from '../../../shared/data/webhooks/retry-runs.ts';
import * as slots from '../../../shared/data/webhooks/slots.ts';
import { systemActor } from '../../../shared/domain/actor.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

/** A new endpoint of a new team. */
async function newEndpoint() {
  const { id: team } = await newTeam();
  const input = { url: 'https://example.com/', events: ['*' as const] };
  await webhooks.create(team, { id: 1, secret: 'whsec_x' }, input, systemActor());
  return { team, read: async () => (await webhooks.find(team, 1))! };
}

it('of many workers that see no run, or one that waits too long, one starts the next', async () => {
  const { team, read } = await newEndpoint();
  for (const expected of [1, 2]) {
    const seen = await read();
    expect(runs.covers(seen, '2026-11-22T10:00:00.000+00:00')).toBe(false);
    const begun = await Promise.all(Array.from({ length: 20 }, () => runs.replace(team, seen)));
    expect(begun.filter((run) => run !== undefined)).toEqual([expected]);
    expect(runs.covers(await read(), '2026-11-22T10:00:00.000+00:00')).toBe(true);
    await runs.wait(team, 1, expected, '2026-11-22T15:00:00.000+00:00');
    expect(runs.covers(await read(), '2026-11-22T15:00:00.000+00:00')).toBe(true);
  }
});

it('a run that waits either goes to work or is replaced, never both', async () => {
  const { team, read } = await newEndpoint();
  let run = (await runs.replace(team, await read()))!;
  for (let round = 0; round < 20; round++) {
    await runs.wait(team, 1, run, runs.over);
    const seen = await read();
    const [working, next] = await Promise.all([runs.work(team, 1, run), runs.replace(team, seen)]);
    expect([working !== undefined, next !== undefined]).toContain(true);
    expect(working && next).toBe(undefined);
    run = next ?? run;
    if (next === undefined) expect(await runs.replace(team, seen)).toBe(undefined);
    else
      expect([await runs.work(team, 1, next - 1), await runs.wait(team, 1, next - 1, '~')]).toEqual([undefined, false]);
  }
});

const host = 'hooks.example.com';

it('a host has ten slots, fifty while attempts end quickly, and all again after its workers died', async () => {
  const { team } = await newEndpoint();
  const acquire = async (count: number) => {
    const all = await Promise.all(Array.from({ length: count }, () => slots.acquire(team, host)));
    return all.flatMap(({ slot }) => slot ?? []);
  };
  const held = await acquire(30);
  expect(held).toHaveLength(10);
  await Promise.all([0, 1, 2, 3, 4].map((slot) => slots.release(team, host, slot, 15_000)));
  expect(await acquire(30)).toHaveLength(5);
  await Promise.all([0, 1, 2, 3, 4].map((slot) => slots.release(team, host, slot, 100)));
  expect(await acquire(60)).toHaveLength(45);
  expect([await slots.underWay(team, host), await acquire(1)]).toEqual([50, []]);
  await table.update({
    Key: keys.webhookSlots(team, host, 3),
    UpdateExpression: 'SET busy_at = :then, ended_at = :then',
    ExpressionAttributeValues: { ':then': Date.now() - 21_000 },
  });
  expect(await acquire(1)).toEqual([3]);
});
