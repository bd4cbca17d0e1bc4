import { setTimeout as sleep } from 'node:timers/promises';
import type { UsageReport } from '../../local/usage.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import type { BenchStack } from './bench-stack.ts';
import { ceilings } from './hot-keys.ts';
import { processUsed } from './process.ts';
import { consumedBy, type Result, round, usedBy } from './results.ts';

const perCall = 1_000;
const pollMilliseconds = 10;
const attempts = 8;
/** Steps of the clock; together they are longer than all attempts of a delivery. */
const [steps, stepSeconds] = [32, 3_600];
/** Fewer failures than switch an endpoint off. */
const failing = 20;

/** The speed of deliveries to a fast receiver, and the cost of a delivery that succeeds and of one that fails. */
export async function measureWebhooks(stack: BenchStack, deliveries: number, counted: number): Promise<Result[]> {
  const receiver = await startReceiver();
  receiver.behave('/broken', (_request, response) => response.writeHead(500).end());
  try {
    const good = await teamWith(stack, `${receiver.url}/good`);
    // The first deliveries warm up the bundles.
    await deliverAll(good, receiver, '/good', 200);
    const before = processUsed(stack.pid());
    const seconds = await deliverAll(good, receiver, '/good', deliveries);
    const processor = (processUsed(stack.pid())?.seconds ?? 0) - (before?.seconds ?? 0);
    await stack.idle();
    const used = await stack.metered(() => deliverAll(good, receiver, '/good', counted), { keys: true });
    const broken = await teamWith(stack, `${receiver.url}/broken`);
    const failed = await stack.metered(() => failAll(stack, broken, receiver));
    const tried = receiver.to('/broken').length;
    return [
      {
        what: `webhooks, ${round(deliveries)} deliveries to a receiver that answers at once`,
        figure: deliveries / seconds,
        unit: 'deliveries/s',
        details: `${round(seconds)} s from the events' POST on, ${round(processor)} s of a processor in the stack`,
      },
      ...ceilings({ what: 'webhooks to one endpoint', unit: 'deliveries/s', count: counted, atLeast: 10_000, used }),
      work('webhook delivery that succeeds, work', used, counted, 1, ['deliver-webhook']),
      work(`webhook delivery that fails ${attempts} times, work`, failed, failing, tried / failing, [
        'deliver-webhook',
        'retry-webhook',
      ]),
    ];
  } finally {
    await receiver.stop();
  }
}

function work(what: string, used: UsageReport, count: number, tried: number, names: string[]): Result {
  const own = usedBy(used, ...names);
  const invocations = names.reduce(
    (sum, name) => sum + (used.functions[`mailwright-dev-${name}`]?.invocations ?? 0),
    0,
  );
  return {
    what,
    figure: own.capacity.write / count,
    unit: 'write units',
    details:
      `${round(tried)} attempts, ${round(invocations / count)} invocations, ` +
      `${round(used.transitions / count)} state transitions; ${consumedBy(own, count, 'delivery')}`,
  };
}

/** Reports `count` deferrals, which have no other effect. */
type Report = (count: number) => Promise<void>;

let reported = 0;

/** A new team with an endpoint. */
async function teamWith(stack: BenchStack, url: string): Promise<Report> {
  const { body: team } = await stack.call('POST', '/_local/teams', { name: 'Webhooks', plan: 'enterprise' });
  const post = async (path: string, body: unknown) => {
    const answer = await stack.call('POST', path, body, { authorization: `Bearer ${team.api_key}` });
    if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
  };
  await post('/webhooks', { url, events: ['email.deferred'] });
  return async (count) => {
    for (let left = count; left > 0; left -= perCall) {
      const events = Array.from({ length: Math.min(left, perCall) }, () => ({
        email: `webhook-${reported}@bench.example`,
        event: 'deferred',
        metadata: { provider_event_id: `webhook-${reported++}` },
      }));
      await post('/events', { events });
    }
  };
}

/** Seconds until the receiver has `count` requests. */
async function deliverAll(report: Report, receiver: Receiver, path: string, count: number): Promise<number> {
  const before = receiver.to(path).length;
  const begun = performance.now();
  await report(count);
  while (receiver.to(path).length < before + count) await sleep(pollMilliseconds);
  return (performance.now() - begun) / 1000;
}

async function failAll(stack: BenchStack, report: Report, receiver: Receiver): Promise<void> {
  await report(failing);
  for (let step = 0; step < steps && receiver.to('/broken').length < failing * attempts; step++) {
    await stack.idle();
    await stack.call('POST', '/_local/clock', { advance_seconds: stepSeconds });
  }
}
