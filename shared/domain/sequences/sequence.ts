/** Every status of a sequence; only an active one enrols and sends. */
export const sequenceStatuses = ['draft', 'active', 'paused'] as const;

/** The status of a sequence. */
export type SequenceStatus = (typeof sequenceStatuses)[number];

/** Everything that can enrol contacts: a request (`manual`) or an event. */
export const triggerTypes = ['manual', 'tag_added', 'list_joined', 'contact_created', 'waitlist_signup'] as const;

/** What enrols contacts into a sequence. */
export type TriggerType = (typeof triggerTypes)[number];

/** The field that holds the id of a trigger's tag, list or waitlist. */
export const triggerFields = {
  tag_added: 'trigger_tag_id',
  list_joined: 'trigger_list_id',
  waitlist_signup: 'trigger_waitlist_id',
} as const satisfies Partial<Record<TriggerType, string>>;

/** The units of a delay. */
export const delayUnits = ['minutes', 'hours', 'days'] as const;

/** The unit of a delay. */
export type DelayUnit = (typeof delayUnits)[number];

/** Every status of a subscriber; only an active one waits for a step. */
export const subscriberStatuses = ['active', 'completed', 'exited', 'failed'] as const;

/** The status of a subscriber. */
export type SubscriberStatus = (typeof subscriberStatuses)[number];

/** Every reason to leave a sequence before its end. */
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

/** Why a subscriber left a sequence before its end. */
export type ExitReason = (typeof exitReasons)[number];

/** The maximum number of steps in a sequence. */
export const maxSteps = 50;

/** One message of a sequence. */
export interface Step {
  /** Stable through edits and moves, and never reused: a subscriber's progress refers to it. */
  id: number;
  delay_value: number;
  delay_unit: DelayUnit;
  subject: string | null;
  /** The template that the body was copied from. */
  template_id: number | null;
  /** The id of the stored body: a new body gets a new id. Absent while the step has no body. */
  body_id?: string;
  /** The body's SHA-256. */
  body_hash?: string;
  has_unsubscribe_link: boolean;
  created_at: string;
  /** The older steps that followed it when it was added: a subscriber that had one of them by then has missed it. */
  put_before: readonly number[];
}

const unitMs: Record<DelayUnit, number> = { minutes: 60_000, hours: 3_600_000, days: 86_400_000 };

/** A delay in milliseconds. */
export const delayMs = ({ delay_value, delay_unit }: Pick<Step, 'delay_value' | 'delay_unit'>): number =>
  delay_value * unitMs[delay_unit];

/** How far a subscriber has come in a sequence. */
export interface Progress {
  /** Ids of the steps that were sent, or may have been. */
  had: readonly number[];
  /** Ids of those of which nobody knows whether they were. */
  unknown?: readonly number[];
  /** Ids of the steps that were added before the subscriber's place. */
  missed: readonly number[];
  /** When the last step was sent; before the first one, when the subscriber was enrolled. */
  last_at: string;
  /** The start of the delay of the next step. */
  counted_from: string;
}

/** The next step: its position, from 1, and when it is due, in milliseconds since the epoch. */
export interface NextStep {
  step: Step;
  position: number;
  dueAt: number;
}

/**
 * Whether a step was added before the place that the subscriber had already reached. For a step that is newer than the
 * last send, `had` is still what it was when the step was added.
 */
const misses = ({ missed, had, last_at }: Progress, { id, created_at, put_before }: Step): boolean =>
  missed.includes(id) || (created_at > last_at && put_before.some((other) => had.includes(other)));

/**
 * The first step in the present order that the subscriber neither had nor missed; undefined when none is left. A step
 * that was added before its place is missed; a step that was only moved there is not.
 */
export function nextStep(steps: readonly Step[], progress: Progress): NextStep | undefined {
  const index = steps.findIndex((step) => !progress.had.includes(step.id) && !misses(progress, step));
  const step = steps[index];
  return step && { step, position: index + 1, dueAt: Date.parse(progress.counted_from) + delayMs(step) };
}

/** A step sent at most this late counts as on time, so that a daily series keeps its hour. */
const onTimeMs = 3_600_000;

/** The progress of a subscriber after a step was sent, or may have been (`unknown`). */
export function afterStep(
  steps: readonly Step[],
  progress: Progress,
  sent: { step: number; dueAt: string; sentAt: string; unknown?: boolean },
): Progress {
  const idsOf = (matches: (step: Step) => boolean) => steps.filter(matches).map(({ id }) => id);
  const late = Date.parse(sent.sentAt) - Date.parse(sent.dueAt);
  return {
    had: idsOf(({ id }) => id === sent.step || progress.had.includes(id)),
    unknown: sent.unknown ? [...(progress.unknown ?? []), sent.step] : progress.unknown,
    missed: idsOf((step) => misses(progress, step)),
    last_at: sent.sentAt,
    counted_from: late <= onTimeMs ? sent.dueAt : sent.sentAt,
  };
}

/** A requested step: identified by its id or, without one, by its content. */
interface RequestedStep {
  id?: number | null | undefined;
  subject: string | null;
  body_hash: string | undefined;
}

/**
 * Matches each requested step with a present one: by its id, else by the same subject and body, else by position.
 * Undefined for a new step. So a client that knows no ids sends no step twice.
 */
export function identifySteps(before: readonly Step[], given: readonly RequestedStep[]): (Step | undefined)[] {
  const free = new Set(before.filter(({ id }) => !given.some((step) => step.id === id)));
  const take = (step: Step | undefined): Step | undefined => {
    if (!step || !free.has(step)) return undefined;
    free.delete(step);
    return step;
  };
  const byId = given.map(({ id }) => before.find((step) => step.id === id));
  const byContent = given.map(({ subject, body_hash }, index) => {
    if (byId[index]) return byId[index];
    const equal = (step: Step) => free.has(step) && step.subject === subject && step.body_hash === body_hash;
    return body_hash === undefined ? undefined : take([before[index]!, ...before].find((step) => step && equal(step)));
  });
  return byContent.map((found, index) => found ?? take(before[index]));
}

/** What is missing before the steps can be sent, as clauses; empty when nothing is. */
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

/** Whether a status may follow another: an activated sequence may have subscribers and is never a draft again. */
export const mayMove = (from: SequenceStatus, to: SequenceStatus): boolean =>
  from === to || to === 'active' || (from === 'active' && to === 'paused');
