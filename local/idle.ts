import type { Queues } from './aws/queues.ts';
import type { Workflows } from './aws/workflows.ts';
import { real } from './clock.ts';
import type { EventSources } from './lambda/event-sources.ts';
import type { Functions } from './lambda/runtime.ts';

const pollMilliseconds = 20;
const aheadMilliseconds = 30_000;
const maxSettleMilliseconds = 10_000;

/** The parts that can have work. */
export interface Busy {
  functions: Functions;
  queues: Queues;
  eventSources: EventSources;
  workflows: Workflows;
  ses: { pending(): number };
}

/** Describes the work that is running now. */
export function runningWork({ functions, queues, eventSources, workflows, ses }: Busy): string[] {
  const work = functions.running().map((name) => `function ${name} is running`);
  for (const queue of queues.consumed())
    if (queue.messages.length > 0) work.push(`queue ${queue.name} has ${queue.messages.length} visible messages`);
  for (const name of eventSources.collecting()) work.push(`queue ${name} is filling a batch`);
  for (const { name, until } of workflows.active())
    if (until === 'running') work.push(`workflow ${name} is running a task`);
  if (ses.pending() > 0) work.push(`SES has ${ses.pending()} events to publish`);
  return work;
}

/** Describes the work that is running now or due within the next 30 seconds of the stack's time. */
export function unfinishedWork(busy: Busy): string[] {
  const horizon = Date.now() + aheadMilliseconds;
  const work = runningWork(busy);
  for (const queue of busy.queues.consumed()) {
    const inFlight = [...queue.inflightMessages.values()];
    const returning = inFlight.filter(({ visibilityDeadline }) => visibilityDeadline <= horizon).length;
    if (returning > 0) work.push(`queue ${queue.name} gets ${returning} failed messages back`);
    const due = queue.delayedMessages.filter(({ delayUntil = 0 }) => delayUntil <= horizon).length;
    if (due > 0) work.push(`queue ${queue.name} has ${due} delayed messages due`);
  }
  for (const { name, until } of busy.workflows.active()) {
    if (until !== 'running' && until <= horizon)
      work.push(`workflow ${name} waits until ${new Date(until).toISOString()}`);
  }
  return work;
}

/** Waits until there is no unfinished work twice in a row; returns the remaining work after the timeout. */
export async function waitUntilIdle(busy: Busy, timeoutMilliseconds: number): Promise<string[]> {
  const deadline = performance.now() + timeoutMilliseconds;
  for (let quiet = 0; ; ) {
    const work = unfinishedWork(busy);
    quiet = work.length === 0 ? quiet + 1 : 0;
    if (quiet === 2) return [];
    if (performance.now() >= deadline) return work;
    await real.sleep(pollMilliseconds);
  }
}

/** Waits until the work started by a step of the clock has ended, at most 10 seconds of real time. */
export async function settle(busy: Busy): Promise<void> {
  const deadline = performance.now() + maxSettleMilliseconds;
  for (let quiet = 0; quiet < 3 && performance.now() < deadline; ) {
    await new Promise((done) => real.setImmediate(done));
    const running = runningWork(busy).length > 0;
    quiet = running ? 0 : quiet + 1;
    if (running) await real.sleep(1);
  }
}
