import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { SFNClient, StartExecutionCommand } from '@aws-sdk/client-sfn';
import { expect, it } from 'vitest';
import { awsOf } from '../../support/stack.ts';
import { rawTable } from '../../support/table.ts';
import { attemptsOf, endpointOf, sendTest, until, untilWaiting } from '../../support/webhooks.ts';
import { folder, receiver, stack, team, test } from './receivers.setup.ts';
import { forward, machine, newEndpoint, openRuns, pending, secondsFromNow, store, stored } from './retries.setup.ts';

const hour = 3_600;

it('one execution is open per endpoint, also when deliveries come while it waits, and none in the end', async () => {
  const place = await newEndpoint(team);
  for (let count = 1; count <= 3; count++) {
    await sendTest(stack.origin, team, place.id);
    await forward(hour);
    expect(await pending(team, place.id)).toHaveLength(count);
    expect(await openRuns(team, place.id)).toHaveLength(1);
  }
  // The endpoint is degraded: the fourth delivery has its first attempt in the workflow, though that waits for hours.
  const tried = receiver.to(place.path).length;
  place.up = true;
  await test(place.id);
  await until(() => receiver.to(place.path).length === tried + 1);
  await untilWaiting(stack.origin, team);
  await forward(60);
  expect([await openRuns(team, place.id), place.accepted]).toMatchObject([{ length: 1 }, { length: 1 }]);
  await forward(8 * hour);
  expect(new Set(place.accepted).size).toBe(4);
  expect([await pending(team, place.id), await openRuns(team, place.id)]).toEqual([[], []]);
});

it('a receiver that was down gets everything once it is back, in the order of the next attempts', async () => {
  const place = await newEndpoint(team);
  const healthy = await newEndpoint(team);
  healthy.up = true;
  for (let count = 1; count <= 25; count++) await test(place.id);
  await until(() => receiver.to(place.path).length >= 25);
  await untilWaiting(stack.origin, team);
  await forward(hour);
  await until(async () => (await pending(team, place.id)).every(({ attempt }) => attempt === 5));
  await sendTest(stack.origin, team, healthy.id);
  expect(healthy.accepted).toHaveLength(1);
  await untilWaiting(stack.origin, team);
  // All are due when the run goes on, the last one first.
  const rows = (await pending(team, place.id)).reverse().map((row, index) => {
    const next_at = secondsFromNow(index - 60);
    return { ...row, next_at, gsi1sk: `${next_at}#${row.event_id}` };
  });
  await (await rawTable(folder)).write(rows);
  const order = rows.map(({ gsi1sk }) => gsi1sk.split('#')[1]!);
  place.up = true;
  await forward(3 * hour);
  expect(place.accepted).toHaveLength(25);
  // The ten of the first batch are tried together, then all others.
  expect(new Set(place.accepted.slice(0, 10))).toEqual(new Set(order.slice(0, 10)));
  expect(new Set(place.accepted)).toEqual(new Set(order));
  expect(await endpointOf(team, place.id)).toMatchObject({ is_active: true, consecutive_failures: 0 });
});

it('an endpoint that accepts nothing for three days is switched off, one that accepts something is not', async () => {
  const [dead, alive] = [await newEndpoint(team), await newEndpoint(team)];
  for (const { id } of [dead, alive]) {
    await store(team, id, { failing_since: secondsFromNow(-71 * hour), last_failed_at: secondsFromNow(-hour) });
    await sendTest(stack.origin, team, id);
  }
  await forward(400);
  alive.up = true;
  await forward(hour);
  alive.up = false;
  await sendTest(stack.origin, team, alive.id);
  expect(await endpointOf(team, dead.id)).toMatchObject({ is_active: true });
  await forward(3 * hour);
  expect(await endpointOf(team, dead.id)).toMatchObject({ is_active: false });
  expect(await endpointOf(team, alive.id)).toMatchObject({ is_active: true });
  expect(await openRuns(team, dead.id)).toEqual([]);
  await forward(6 * hour);
  expect(await pending(team, dead.id)).toEqual([]);
  await team.api('PATCH', `/webhooks/${dead.id}`, { is_active: true });
  expect(await stored(team, dead.id)).not.toHaveProperty('failing_since');
});

it('while an endpoint is off, deliveries end at their own times: it gets the others when it is on again', async () => {
  const place = await newEndpoint(team);
  for (let count = 1; count <= 2; count++) {
    await sendTest(stack.origin, team, place.id);
    await forward(hour);
  }
  const later = (await pending(team, place.id)).map(({ event_id }) => event_id);
  await sendTest(stack.origin, team, place.id);
  await team.api('PATCH', `/webhooks/${place.id}`, { is_active: false });
  await forward(600);
  // The third was due within that time.
  expect((await pending(team, place.id)).map(({ event_id }) => event_id)).toEqual(later);
  await team.api('PATCH', `/webhooks/${place.id}`, { is_active: true });
  place.up = true;
  await forward(3 * hour);
  expect(place.accepted).toEqual(later);
  expect([await pending(team, place.id), await openRuns(team, place.id)]).toEqual([[], []]);
});

it('an execution hands over to the next before its history is full', async () => {
  const place = await newEndpoint(team);
  await sendTest(stack.origin, team, place.id);
  await forward(60);
  const { run } = await stored(team, place.id);
  await store(team, place.id, { run_steps: 500 });
  await forward(400);
  expect(await stored(team, place.id)).toMatchObject({ run: Number(run) + 1 });
  expect(await openRuns(team, place.id)).toHaveLength(1);
  place.up = true;
  await forward(hour);
  expect(place.accepted).toHaveLength(1);
});

it('deliveries and executions of the version with an execution per delivery go on', async () => {
  const place = await newEndpoint(team);
  const partition = `TEAM#${team.id}#WEBHOOK#${place.id}`;
  const ids = ['evt_00000000000000000000000000000001', 'evt_00000000000000000000000000000002'];
  const rows = ids.map((event_id, index) => {
    const next_at = secondsFromNow(600 * (index + 1));
    return {
      ...{ pk: partition, sk: `RETRY#${event_id}` },
      ...{ gsi1pk: `TEAM#${team.id}#WEBHOOK_RETRY#${place.id}`, gsi1sk: `${next_at}#${event_id}` },
      ...{ event_id, type: 'webhook.test', attempt: 3, next_at, run: 1, ttl: Math.floor(Date.now() / 1000) + 1e7 },
      body: JSON.stringify({ id: event_id, type: 'webhook.test', created_at: next_at, data: {} }),
    };
  });
  const noted = secondsFromNow(-300);
  const attempt = {
    ...{ pk: partition, sk: `DELIVERY#${noted}#0000000000000007`, id: 7, event_id: ids[0], type: 'webhook.test' },
    ...{
      body: rows[0]!.body,
      response_status: 500,
      response_body: '',
      attempt: 2,
      succeeded: false,
      error: 'status 500',
    },
    ttl: rows[0]!.ttl,
  };
  await (await rawTable(folder)).write([...rows, attempt]);
  const input = JSON.stringify({ team_id: team.id, webhook_id: place.id, event_id: ids[0] });
  // The first was begun with the definition of then, the second is begun by a worker of the version before.
  const Payload = input;
  const old = new InvokeCommand({ FunctionName: 'mailwright-dev-retry-webhook', Payload });
  const answered = await new LambdaClient(awsOf(folder)).send(old);
  expect(JSON.parse(Buffer.from(answered.Payload!).toString())).toEqual({ next: 'done' });
  const name = `team-${team.id}-webhook-${place.id}-${ids[1]}-1`;
  await new SFNClient(awsOf(folder)).send(new StartExecutionCommand({ stateMachineArn: machine, name, input }));
  await untilWaiting(stack.origin, team);
  await forward(10);
  expect(await openRuns(team, place.id)).toHaveLength(1);
  place.up = true;
  await forward(530);
  expect(place.accepted).toEqual([]);
  await forward(120);
  expect(place.accepted).toEqual([ids[0]]);
  await forward(600);
  expect(place.accepted).toEqual(ids);
  const attempts = await attemptsOf(team, place.id);
  expect(attempts.map(({ event_id, attempt }) => [event_id, attempt])).toEqual([
    [ids[1], 3],
    [ids[0], 3],
    [ids[0], 2],
  ]);
  expect([await pending(team, place.id), await openRuns(team, place.id)]).toEqual([[], []]);
});
