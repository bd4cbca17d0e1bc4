import * as contacts from '../../data/contacts/contacts.ts';
import * as suppressions from '../../data/contacts/suppressions.ts';
import { exit } from '../../data/sequences/moves.ts';
import * as subscribers from '../../data/sequences/subscribers.ts';
import { concurrently } from '../../domain/concurrently.ts';
import type { CompiledMessage } from '../../domain/messages/merge-tags.ts';
import { type ExitReason, nextStep, type Step } from '../../domain/sequences/sequence.ts';
import { compiledStep } from './compile-step.ts';
import { reschedule, type SequenceContext } from './move-subscribers.ts';

const concurrency = 16;

/** A step to send now to one subscriber. */
export interface Mail {
  email: string;
  subscriber: subscribers.SubscriberItem;
  contact: contacts.ContactItem;
  step: Step;
  message: CompiledMessage;
}

/**
 * Reads the due subscribers right before the send. One that may not be mailed any more leaves the sequence; one whose
 * next step is not due in the present order waits for it; one without a next step completes. Returns the messages to
 * send to the others; undefined when a body was replaced since the steps were read.
 */
export async function checkDue(context: SequenceContext, emails: readonly string[]): Promise<Mail[] | undefined> {
  const { teamId, sequenceId, steps } = context;
  const [rows, live, suppressed] = await Promise.all([
    subscribers.batch(teamId, sequenceId, emails),
    contacts.batch(teamId, emails),
    suppressions.batch(teamId, emails),
  ]);
  const now = Date.now();
  const leaving: { email: string; reason: ExitReason }[] = [];
  const later: subscribers.SubscriberItem[] = [];
  const sending: Omit<Mail, 'message'>[] = [];
  for (const [index, email] of emails.entries()) {
    const [row, contact] = [rows[index], live[index]];
    if (row?.status !== 'active' || Date.parse(row.next_run_at!) > now) continue;
    const next = nextStep(steps, row);
    const reason = exitReason(row, contact, suppressed.get(email)?.reason);
    if (reason) leaving.push({ email, reason });
    else if (!next || next.dueAt > now) later.push(row);
    else sending.push({ email, subscriber: row, contact: contact!, step: next.step });
  }
  await concurrently(leaving, concurrency, ({ email, reason }) => exit(teamId, sequenceId, email, reason));
  await reschedule(context, later);
  const messages = await Promise.all(sending.map(({ step }) => compiledStep(teamId, sequenceId, step)));
  const mails = sending.flatMap((mail, index) => (messages[index] ? [{ ...mail, message: messages[index] }] : []));
  return mails.length === sending.length ? mails : undefined;
}

/** Why a subscriber may not be mailed any more; undefined when it may. */
function exitReason(
  row: subscribers.SubscriberItem,
  contact: contacts.ContactItem | undefined,
  suppression: suppressions.SuppressionItem['reason'] | undefined,
): ExitReason | undefined {
  if (contact?.id !== row.contact_id) return 'deleted';
  if (suppression === 'spam_report') return 'complained';
  if (contact?.status !== 'active') return contact?.status;
  return suppression && 'suppressed';
}
