import { config } from '../../aws/config.ts';
import { logFailure } from '../../aws/log.ts';
import * as mailer from '../../aws/mailer.ts';
import type { SequenceItem } from '../../data/sequences/sequences.ts';
import type { Outcome } from '../../data/sequences/shards.ts';
import { signingKey } from '../../data/signing-key.ts';
import { sealToken } from '../../domain/address-token.ts';
import { mailbox } from '../../domain/messages/mail-address.ts';
import { contactValues, slotValues } from '../../domain/messages/merge-tags.ts';
import { unsubscribeHeaders } from '../../domain/messages/unsubscribe-headers.ts';
import type { Mail } from './check-due.ts';

/** No call starts later than this after the claim, so that the lease outlives the last call. */
const maxCallsMs = 20_000;

/**
 * The outcomes of messages, in their order, undefined for those that SES may have accepted; and what keeps the waiting
 * ones from being sent now.
 */
export interface Delivery {
  outcomes: (Outcome | undefined)[];
  obstacle?: Exclude<mailer.Refusal, 'refused'>;
}

/** A message with its index in the page. */
type Indexed = mailer.BulkMessage & { index: number };

/** Sends messages in as few calls as possible, none twice. */
export async function deliverSteps(teamId: number, sequence: SequenceItem, mails: readonly Mail[]): Promise<Delivery> {
  const delivery: Delivery = { outcomes: mails.map(() => ({ status: 'waiting' })) };
  const deadline = Date.now() + maxCallsMs;
  const key = await signingKey();
  const numbered = mails.map((mail, index) => ({ mail, index }));
  for (const group of Map.groupBy(numbered, ({ mail }) => mail.step.id).values()) {
    const content = contentOf(sequence, group[0]!.mail);
    const messages = group.map(({ mail, index }) => ({ ...messageOf(teamId, sequence.id, mail, key), index }));
    for (const call of mailer.callsFor(content, messages)) {
      if (isBlocked(delivery) || Date.now() > deadline) return { obstacle: 'throttled', ...delivery };
      await callProvider(content, call, delivery);
    }
  }
  return delivery;
}

const isBlocked = ({ obstacle }: Delivery): boolean => obstacle !== undefined && obstacle !== 'throttled';

const contentOf = ({ from_email, from_name, reply_to }: SequenceItem, { message }: Mail): mailer.BulkContent => ({
  from: mailbox(from_email!, from_name ?? null),
  replyTo: reply_to ?? null,
  subject: message.subject,
  html: message.html,
  text: message.text,
});

function messageOf(teamId: number, sequenceId: number, mail: Mail, key: Buffer): mailer.BulkMessage {
  const { email, contact, step, message } = mail;
  const url = `${config.baseUrl}/unsubscribe/${sealToken(key, 'sequence', [teamId, sequenceId, contact.id], email)}`;
  return {
    to: email,
    slots: slotValues(message, contactValues(contact, { unsubscribe_url: url })),
    headers: unsubscribeHeaders(url),
    tags: { team: String(teamId), sequence: String(sequenceId), step: String(step.id), contact: String(contact.id) },
  };
}

async function callProvider(content: mailer.BulkContent, call: readonly Indexed[], delivery: Delivery) {
  const answers = await sendBulk(content, call);
  for (const [place, { index }] of call.entries()) {
    const { outcome, error = 'refused by the provider' } = answers[place]!;
    if (outcome === 'accepted') delivery.outcomes[index] = { status: 'sent' };
    else if (outcome === 'refused') delivery.outcomes[index] = { status: 'failed', error };
    else if (outcome === 'unknown') delivery.outcomes[index] = undefined;
    else if (!isBlocked(delivery)) delivery.obstacle = outcome;
  }
}

type Answer = { outcome: mailer.Acceptance['outcome'] | 'unknown'; error?: string };

async function sendBulk(content: mailer.BulkContent, call: readonly Indexed[]): Promise<Answer[]> {
  try {
    const answers = await mailer.sendBulk(content, call);
    return call.map((_message, place) => answers[place] ?? { outcome: 'unknown' });
  } catch (error) {
    const failure = mailer.failureOf(error, content.from);
    const { team, sequence } = call[0]!.tags;
    const ids = { team_id: Number(team), sequence_id: Number(sequence) };
    logFailure('SES call failed', error, { ...ids, outcome: failure.outcome }, 'warn');
    return call.map(() => failure);
  }
}
