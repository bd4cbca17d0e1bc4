import type { Queues } from './aws/queues.ts';
import type { Workflows } from './aws/workflows.ts';
import { real } from './clock.ts';
import type { EventSources } from './lambda/event-sources.ts';
import type { Functions } from './lambda/runtime.ts';

const pollMilliseconds = 20;
const horizonMilliseconds = 30_000;
const settleLimitMilliseconds = 10_000;

/** The parts that can have work. */
export interface Busy {
  functions: Functions;
  queues: Queues;
  eventSources: EventSources;
  workflows: Workflows;
  ses: { pending(): number };
}

/** What is running now, in words; nothing when only time can start more work. */
export function runningWork({ functions, queues, eventSources, workflows, ses }: Busy): string[] {
  const work = functions.running().map((name) => `function ${name} is running`);
  for (const queue of queues.working())
    if (queue.messages.length > 0) work.push(`queue ${queue.name} has ${queue.messages.length} visible messages`);
  for (const name of eventSources.collecting()) work.push(`queue ${name} is filling a batch`);
  for (const { name, until } of workflows.active())
    if (until === 'running') work.push(`workflow ${name} is running a task`);
  if (ses.pending() > 0) work.push(`SES has ${ses.pending()} events to publish`);
  return work;
}

/** What is running now or due within the next 30 seconds of the stack's time, in words. */
export function unfinishedWork(busy: Busy): string[] {
  const horizon = Date.now() + horizonMilliseconds;
  const work = runningWork(busy);
  for (const queue of busy.queues.working()) {
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

/** Waits until there is no unfinished work twice in a row; gives what is left when the time is up. */
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

/** Lets the work that a step of the clock has started come to an end, for at most 10 seconds of real time. */
export async function settle(busy: Busy): Promise<void> {
  const deadline = performance.now() + settleLimitMilliseconds;
  for (let quiet = 0; quiet < 3 && performance.now() < deadline; ) {
    await new Promise((done) => real.setImmediate(done));
    const running = runningWork(busy).length > 0;
    quiet = running ? 0 : quiet + 1;
    if (running) await real.sleep(1);
  }
}
