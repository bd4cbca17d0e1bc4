import type { Queues } from './aws/queues.ts';
import type { Workflows } from './aws/workflows.ts';
import { real } from './clock.ts';
import type { EventSources } from './lambda/event-sources.ts';
import type { Functions } from './lambda/runtime.ts';

const pollMilliseconds = 20;
const aheadMilliseconds = 30_000;
const maxSettleMilliseconds = 10_000;
const quietTurns = 12;
const filling = 'is filling a batch';

/** The parts that can have work. */
export interface Busy {
  functions: Functions;
  queues: Queues;
  eventSources: EventSources;
  workflows: Workflows;
  ses: { pending(): number };
}

/** Tells whether work belongs to a team, by its event, message or execution name; without a team all work does. */
function belongsTo(team: number | undefined): (about: unknown) => boolean {
  if (team === undefined) return () => true;
  // Messages are JSON within JSON: quotes come with backslashes. The tags of mail are lists.
  const ids = new RegExp(`team(?:_id)?[\\\\"]+:[[\\\\"]*${team}\\b|team-${team}-`);
  return (about) => ids.test(typeof about === 'string' ? about : JSON.stringify(about));
}

/** Describes the work that is running now, for all teams or for one. */
export function runningWork({ functions, queues, eventSources, workflows, ses }: Busy, team?: number): string[] {
  const counts = belongsTo(team);
  const work = functions
    .running()
    .filter(({ event }) => counts(event))
    .map(({ name }) => `function ${name} is running`);
  const collecting = new Set(eventSources.collecting());
  for (const { name, messages, inflightMessages } of queues.consumed()) {
    const visible = messages.filter(({ body }) => counts(body)).length;
    if (visible > 0) work.push(`queue ${name} has ${visible} visible messages`);
    const received = () => [...inflightMessages.values()].some(({ message }) => counts(message.body));
    if (collecting.has(name) && (team === undefined || received())) work.push(`queue ${name} ${filling}`);
  }
  for (const { name, until } of workflows.active())
    if (until === 'running' && counts(name)) work.push(`workflow ${name} is running a task`);
  if (ses.pending() > 0) work.push(`SES has ${ses.pending()} events to publish`);
  return work;
}

/** Describes the work that is running now or due within the next 30 seconds of the stack's time. */
export function unfinishedWork(busy: Busy, team?: number): string[] {
  const horizon = Date.now() + aheadMilliseconds;
  const counts = belongsTo(team);
  const work = runningWork(busy, team);
  for (const queue of busy.queues.consumed()) {
    const inFlight = [...queue.inflightMessages.values()].filter(({ message }) => counts(message.body));
    const returning = inFlight.filter(({ visibilityDeadline }) => visibilityDeadline <= horizon).length;
    if (returning > 0) work.push(`queue ${queue.name} gets ${returning} failed messages back`);
    const delayed = queue.delayedMessages.filter(({ body }) => counts(body));
    const due = delayed.filter(({ delayUntil = 0 }) => delayUntil <= horizon).length;
    if (due > 0) work.push(`queue ${queue.name} has ${due} delayed messages due`);
  }
  for (const { name, until } of busy.workflows.active()) {
    if (until !== 'running' && until <= horizon && counts(name))
      work.push(`workflow ${name} waits until ${new Date(until).toISOString()}`);
  }
  return work;
}

/**
 * Waits until no work, of one team or of all, is unfinished twice in a row; returns the rest after the timeout. With
 * `advance` it delivers batches when nothing else is left, and moves the clock a second where nothing runs but
 * something is due.
 */
export async function waitUntilIdle(
  busy: Busy,
  timeoutMilliseconds: number,
  { team, advance }: { team?: number; advance?: (seconds: number) => Promise<void> } = {},
): Promise<string[]> {
  const deadline = performance.now() + timeoutMilliseconds;
  for (let quiet = 0; ; ) {
    const work = unfinishedWork(busy, team);
    quiet = work.length === 0 ? quiet + 1 : 0;
    if (quiet === 2) return [];
    if (performance.now() >= deadline) return work;
    if (advance && work.length > 0 && work.every((one) => one.endsWith(filling))) busy.eventSources.deliver();
    if (advance && work.length > 0 && runningWork(busy).length === 0) await advance(1);
    else await real.sleep(pollMilliseconds);
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

/** Waits until no AWS call has been under way for some turns of the event loop: what still runs waits for a time. */
export async function settleCalls(underWay: () => number): Promise<void> {
  for (let quiet = 0; quiet < quietTurns; ) {
    await (quiet % 4 === 3 ? real.sleep(1) : new Promise((done) => real.setImmediate(done)));
    quiet = underWay() > 0 ? 0 : quiet + 1;
  }
}
