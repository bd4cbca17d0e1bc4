import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { control } from '../../support/team.ts';
import { endpointOf, sendTest, until } from '../../support/webhooks.ts';
import { receiver, restart, stack, team, test } from './receivers.setup.ts';
import { forward, newEndpoint, openRuns, pending, secondsFromNow } from './retries.setup.ts';

const hour = 3_600;

/** Sends `count` test events, some at once. */
async function send(id: number, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 25)
    await Promise.all(Array.from({ length: Math.min(25, count - sent) }, () => test(id)));
}

it('a receiver that is down for a day gets everything in the order of the times, and holds up nobody', async () => {
  const place = await newEndpoint(team);
  const healthy = await newEndpoint(team);
  healthy.up = true;
  for (let part = 1; part <= 3; part++) {
    await send(place.id, 60);
    await until(async () => (await pending(team, place.id)).length === 60 * part);
    await sendTest(stack.origin, team, healthy.id);
    expect(healthy.accepted).toHaveLength(part);
    await forward(8 * hour);
    expect((await openRuns(team, place.id)).length).toBe(1);
  }
  expect(place.accepted).toEqual([]);
  const rows = await pending(team, place.id);
  expect(rows).toHaveLength(180);
  const order = rows.map(({ event_id }) => event_id as string);
  // Those that were late while it was down are due at once, the others at their times.
  const due = rows.filter(({ next_at }) => String(next_at) < secondsFromNow(0)).length;
  place.up = true;
  await forward(120);
  expect(place.accepted.length).toBeGreaterThanOrEqual(due);
  await forward(12 * hour);
  expect(new Set(place.accepted)).toEqual(new Set(order));
  // Those of a batch are tried together.
  for (const [index, id] of place.accepted.entries()) expect(Math.abs(order.indexOf(id) - index)).toBeLessThan(100);
  expect(await endpointOf(team, place.id)).toMatchObject({ is_active: true, consecutive_failures: 0 });
  expect([await pending(team, place.id), await openRuns(team, place.id)]).toEqual([[], []]);
});

const failing = (service: string, operation: string, error: string, rate = 0.2) => ({
  service,
  operation,
  error,
  rate,
});

it.each([
  ['writes that fail', [failing('dynamodb', 'UpdateItem', 'InternalServerError')]],
  ['writes whose answers are lost', [failing('dynamodb', 'UpdateItem', 'lost_response')]],
  [
    'reads that fail',
    [failing('dynamodb', 'Query', 'InternalServerError'), failing('dynamodb', 'GetItem', 'ThrottlingException')],
  ],
  ['removals that fail', [failing('dynamodb', 'DeleteItem', 'InternalServerError')]],
  ['executions that do not start', [failing('states', 'StartExecution', 'ExecutionLimitExceeded', 0.7)]],
  ['executions that do not stop', [failing('states', 'StopExecution', 'ThrottlingException', 0.7)]],
  ['answers of starts that are lost', [failing('states', 'StartExecution', 'lost_response', 0.7)]],
])('no delivery is lost through %s', async (_name, faults) => {
  const place = await newEndpoint(team);
  for (const fault of faults) await control('POST', '/faults', fault, stack.origin);
  for (let count = 0; count < 20; count++) await until(async () => (await test(place.id)).status === 200);
  await forward(hour);
  place.up = true;
  await forward(hour);
  await control('DELETE', '/faults', undefined, stack.origin);
  await forward(5 * hour);
  const sent = new Set(receiver.to(place.path).map(({ body }) => body.id));
  expect(sent.size).toBeGreaterThanOrEqual(20);
  expect(new Set(place.accepted)).toEqual(sent);
  expect([await pending(team, place.id), await openRuns(team, place.id)]).toEqual([[], []]);
});

it('no delivery is lost when everything is killed again and again', async () => {
  const place = await newEndpoint(team);
  await send(place.id, 30);
  await until(() => receiver.to(place.path).length >= 30);
  for (const kills of [1, 2, 3, 4]) {
    void forward(kills * 400).catch(() => undefined);
    await sleep(Math.random() * 600);
    await stack.kill();
    await restart();
    place.up = kills === 3;
  }
  place.up = true;
  await forward(20 * hour);
  expect(new Set(place.accepted)).toEqual(new Set(receiver.to(place.path).map(({ body }) => body.id)));
  expect(new Set(place.accepted).size).toBe(30);
  expect([await pending(team, place.id), await openRuns(team, place.id)]).toEqual([[], []]);
});
