import { Logger } from '@aws-lambda-powertools/logger';
import { config } from './config.ts';

/** The structured logger; never give it bodies, headers, keys or addresses. */
export const log = new Logger();

/** The fields of a message, an event or a job that a failure's log line copies: others may hold an address. */
const loggable =
  `team_id campaign_id run page sequence_id lane shard webhook_id event_id contact_id waitlist_id signup_id kind
  what id domain_event_ids message_id message_ids request_id route command outcome`.split(/\s+/);

/** The metrics that our log lines carry; each costs by the month (docs/decisions/alarms.md). */
export type Measured = 'OldestDueJobAge' | 'OldestDuePageAge' | 'CanarySeconds';

/** What makes a log line a metric in CloudWatch's embedded format, by function alone: more dimensions cost more. */
const embedded = (name: string, Unit: 'Count' | 'Seconds', value: number): Record<string, unknown> => ({
  _aws: {
    Timestamp: Date.now(),
    CloudWatchMetrics: [{ Namespace: 'Mailwright', Dimensions: [['FunctionName']], Metrics: [{ Name: name, Unit }] }],
  },
  FunctionName: config.functionName,
  [name]: value,
});

/** Logs a time in milliseconds, of which CloudWatch makes a metric in seconds, with the ids in `about`. */
export const measure = (name: Measured, ms: number, about: object = {}): void =>
  log.info('measured', { ...idsIn(about), ...embedded(name, 'Seconds', Math.max(0, ms / 1_000)) });

/** Logs a number, of which CloudWatch makes a metric. */
export const countOf = (name: 'CanaryDelivered', n: number): void => log.info('counted', embedded(name, 'Count', n));

// The SDK's own frames take ten: without more the stack would not reach our code.
Error.stackTraceLimit = 40;

/**
 * Logs a failure, once and where it is handled: what failed, the error's name and stack, and the ids in `about`. At the
 * level `error` the line counts in the function's metric `Failures`.
 * The error's message is left out where it may quote an address, as messages of AWS and of parsers do.
 */
export function logFailure(what: string, error: unknown, about: object, level: 'error' | 'warn' = 'error'): void {
  log[level](what, {
    ...idsIn(about),
    ...described(error),
    ...(level === 'error' && embedded('Failures', 'Count', 1)),
  });
}

function idsIn(about: object): Record<string, unknown> {
  const fields = about as Record<string, unknown>;
  return Object.fromEntries(loggable.map((name) => [name, fields[name]]).filter(([, value]) => isId(value)));
}

const isId = (value: unknown): boolean =>
  typeof value === 'number' || (typeof value === 'string' ? safe(value) : Array.isArray(value) && value.every(isId));

const safe = (text: string): boolean => text.length <= 300 && !text.includes('@');

function described(error: unknown) {
  if (!(error instanceof Error)) return { error: typeof error };
  const { name, message, stack, $metadata, CancellationReasons } = error as Error & {
    $metadata?: { requestId?: string };
    CancellationReasons?: { Code?: string }[];
  };
  const quotes = $metadata !== undefined || name === 'SyntaxError' || !safe(message);
  return {
    error: name,
    ...(!quotes && { detail: message }),
    ...($metadata && { aws_request_id: $metadata.requestId }),
    ...(CancellationReasons && { reasons: CancellationReasons.map(({ Code }) => Code).join() }),
    stack: framesOf(stack),
  };
}

/** The frames of a stack, without the message before them, which may span several lines. */
function framesOf(stack = ''): string {
  const frames = stack.split('\n').filter((line) => /^ {4}at \S.*(?::\d+:\d+|<anonymous>|native)\)?$/.test(line));
  return frames.join('\n');
}
