import { afterEach, expect, it, vi } from 'vitest';
import { keys } from '../../../shared/data/keys.ts';
import * as table from '../../../shared/data/table.ts';
import * as webhooks from '../../../shared/data/webhooks/endpoints.ts';
import { systemActor } from '../../../shared/domain/actor.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();
afterEach(() => void vi.useRealTimers());

const hour = 3_600_000;

/** A new endpoint, with an attempt that ends some hours from now and leaves it active or not. */
async function newEndpoint() {
  const { id: team } = await newTeam();
  const begun = Date.now();
  const input = { url: 'https://example.com/', events: ['*' as const] };
  await webhooks.create(team, { id: 1, secret: 'whsec_x' }, input, systemActor());
  const endAt = async (hours: number, end: webhooks.AttemptEnd) => {
    vi.useFakeTimers({ toFake: ['Date'], now: begun + hours * hour });
    const { is_active } = (await webhooks.endAttempt(team, (await webhooks.find(team, 1))!, end))!;
    return is_active;
  };
  return {
    team,
    accepts: (hours: number) => endAt(hours, { succeeded: true, ms: 100 }),
    fails: (hours: number, last = false) => endAt(hours, { succeeded: false, ms: 100, gone: false, last }),
  };
}

it('an endpoint that fails for three days is switched off, also when a night passes without attempts', async () => {
  const { accepts, fails } = await newEndpoint();
  await accepts(0);
  for (const hours of [1, 11, 21, 44, 67, 72.9]) expect([hours, await fails(hours)]).toEqual([hours, true]);
  expect(await fails(73.1)).toBe(false);
});

it('days without attempts do not count: a failure after them is the first of three days', async () => {
  const { accepts, fails } = await newEndpoint();
  await accepts(0);
  for (const hours of [1, 18, 28]) await fails(hours);
  for (const hours of [96, 110, 130, 150, 167]) expect([hours, await fails(hours)]).toEqual([hours, true]);
  expect(await fails(168.1)).toBe(false);
});

it('where the version before stored no last failure, the next one is the first of three days', async () => {
  const { team, accepts, fails } = await newEndpoint();
  await accepts(0);
  await fails(1);
  await table.update({ Key: keys.webhook(team, 1), UpdateExpression: 'REMOVE last_failed_at' });
  expect([await fails(100), await fails(120), await fails(140), await fails(160)]).not.toContain(false);
  expect(await fails(173)).toBe(false);
});

it('an endpoint that never accepted anything is switched off after three deliveries, else thirty', async () => {
  const [never, once] = [await newEndpoint(), await newEndpoint()];
  await once.accepts(0);
  for (const { fails } of [never, once]) for (const hours of [28, 29]) expect(await fails(hours, true)).toBe(true);
  expect(await never.fails(30, true)).toBe(false);
  for (let count = 3; count < 30; count++) expect([count, await once.fails(30, true)]).toEqual([count, true]);
  expect(await once.fails(31, true)).toBe(false);
});
