/** Every status of a sequence; only an active one enrols and sends. */
export const sequenceStatuses = ['draft', 'active', 'paused'] as const;

/** The status of a sequence. */
export type SequenceStatus = (typeof sequenceStatuses)[number];

/** What enrols contacts: a request, or something that happens to them. */
export const triggerTypes = ['manual', 'tag_added', 'list_joined', 'contact_created', 'waitlist_signup'] as const;

/** What enrols contacts into a sequence. */
export type TriggerType = (typeof triggerTypes)[number];

/** The field that names a trigger's record. */
export const triggerFields = {
  tag_added: 'trigger_tag_id',
  list_joined: 'trigger_list_id',
  waitlist_signup: 'trigger_waitlist_id',
} as const satisfies Partial<Record<TriggerType, string>>;

/** The units of a delay. */
export const delayUnits = ['minutes', 'hours', 'days'] as const;

/** The unit of a delay. */
export type DelayUnit = (typeof delayUnits)[number];

/** Every status of a subscriber; only the active ones wait for a step. */
export const subscriberStatuses = ['active', 'completed', 'exited', 'failed'] as const;

/** The status of a subscriber. */
export type SubscriberStatus = (typeof subscriberStatuses)[number];

/** Why somebody left a sequence before its end. */
export const exitReasons = [
  'unsubscribed',
  'bounced',
  'complained',
  'pending',
  'suppressed',
  'deleted',
  'erased',
  'removed',
] as const;

/** Why somebody left a sequence. */
export type ExitReason = (typeof exitReasons)[number];

/** The most steps that a sequence has. */
export const maxSteps = 50;

/** One message of a sequence. */
export interface Step {
  /** The same through edits and moves, and never given again: by it a person is known to have had the step. */
  id: number;
  delay_value: number;
  delay_unit: DelayUnit;
  subject: string | null;
  /** The template that the body was copied from. */
  template_id: number | null;
  /** Where the body lies; another body lies elsewhere. Absent while the step has none. */
  body_id?: string;
  /** The body's SHA-256. */
  body_hash?: string;
  has_unsubscribe_link: boolean;
  created_at: string;
  /** The older steps that stood behind it when it was new: who had had one of them by then was past its place. */
  put_before: readonly number[];
}

const unitMs: Record<DelayUnit, number> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** A delay in milliseconds. */
export const delayMs = ({ delay_value, delay_unit }: Pick<Step, 'delay_value' | 'delay_unit'>): number =>
  delay_value * unitMs[delay_unit];

/** How far a person has come in a sequence. */
export interface Progress {
  /** Ids of the steps that it was sent. */
  had: readonly number[];
  /** Ids of those that were put before its place when it was there. */
  missed: readonly number[];
  /** When it was sent its last step, or enrolled. */
  last_at: string;
  /** From when the delay of its next step counts. */
  counted_from: string;
}

/** A step that comes next: its position, from 1, and when it is due, in milliseconds since the epoch. */
export interface NextStep {
  step: Step;
  position: number;
  dueAt: number;
}

/** Whether a step was new when the person was past its place already: it is not for that person. What is newer than its last step finds the same steps had. */
const misses = ({ missed, had, last_at }: Progress, { id, created_at, put_before }: Step): boolean =>
  missed.includes(id) || (created_at > last_at && put_before.some((other) => had.includes(other)));

/**
 * The step that comes next for a person: the first in the present order that it has not had. What was put in before its place is not for it; what
 * was only moved there is. Undefined when there is none left.
 */
export function nextStep(steps: readonly Step[], progress: Progress): NextStep | undefined {
  const index = steps.findIndex((step) => !progress.had.includes(step.id) && !misses(progress, step));
  const step = steps[index];
  return step && { step, position: index + 1, dueAt: Date.parse(progress.counted_from) + delayMs(step) };
}

/** What went out this much after its time counts as on time: the next delay counts from when it was due, so a daily series keeps its hour. */
const onTimeMs = 3_600_000;

/** A person's progress once a step, which was due at a moment, has been sent. */
export function afterStep(
  steps: readonly Step[],
  progress: Progress,
  sent: { step: number; dueAt: string; sentAt: string },
): Progress {
  const idsOf = (which: (step: Step) => boolean) => steps.filter(which).map(({ id }) => id);
  const late = Date.parse(sent.sentAt) - Date.parse(sent.dueAt);
  return {
    had: idsOf(({ id }) => id === sent.step || progress.had.includes(id)),
    missed: idsOf((step) => misses(progress, step)),
    last_at: sent.sentAt,
    counted_from: late <= onTimeMs ? sent.dueAt : sent.sentAt,
  };
}

/** A step as it is to be: known by its id, or, where none is given, by what it says. */
interface Described {
  id?: number | null | undefined;
  subject: string | null;
  body_hash: string | undefined;
}

/**
 * Which of the present steps each given one is, undefined for a new one: the one that it names; else one that says the same; else the one
 * that stands in its place, if no other is that. So nobody gets a step twice that a client has put back without its id.
 */
export function identifySteps(before: readonly Step[], given: readonly Described[]): (Step | undefined)[] {
  const free = new Set(before.filter(({ id }) => !given.some((step) => step.id === id)));
  const take = (step: Step | undefined): Step | undefined => {
    if (!step || !free.has(step)) return undefined;
    free.delete(step);
    return step;
  };
  const named = given.map(({ id }) => before.find((step) => step.id === id));
  const same = given.map(({ subject, body_hash }, index) => {
    if (named[index]) return named[index];
    const says = (step: Step) => free.has(step) && step.subject === subject && step.body_hash === body_hash;
    return body_hash === undefined ? undefined : take([before[index]!, ...before].find((step) => step && says(step)));
  });
  return same.map((found, index) => found ?? take(before[index]));
}

/** What keeps the steps from being sent, in sentences; none when they can be. */
export function stepFaults(steps: readonly Step[]): string[] {
  if (steps.length === 0) return ['it has no steps'];
  return steps.flatMap(({ subject, body_id, has_unsubscribe_link }, index) => {
    const missing = [
      !subject && 'no subject',
      !body_id && 'no body',
      body_id && !has_unsubscribe_link && 'no unsubscribe link ({{unsubscribe_url}})',
    ].filter(Boolean);
    return missing.length > 0 ? [`step ${index + 1} has ${missing.join(' and ')}`] : [];
  });
}

/** Whether a sequence may move from one status to another: once begun it is never a draft again, for people are in it. */
export function mayMove(from: SequenceStatus, to: SequenceStatus): boolean {
  return from === to || to === 'active' || (from === 'active' && to === 'paused');
}
