import { logFailure } from '../../aws/log.ts';
import * as mailer from '../../aws/mailer.ts';
import * as suppressions from '../../data/contacts/suppressions.ts';
import * as domains from '../../data/teams/sending-domains.ts';
import type { TeamItem } from '../../data/teams/teams.ts';
import { mailbox } from '../../domain/messages/mail-address.ts';
import { headerSafe } from '../../domain/messages/merge-tags.ts';
import { renderServiceMessage, type ServiceMessage } from '../../domain/messages/service-message.ts';
import { waitForDirectRate } from './wait-for-rate.ts';

/** When to come again after a failure that surely sent nothing; what the provider refuses for good is not tried again. */
const pauseAfter = { throttled: 5_000, quota: 15 * 60_000, refused: undefined };

/** The record's own mark that its message is sent: set by a condition right before the provider is called, given back when surely nothing was sent. */
export interface Claim {
  claim(): Promise<boolean>;
  release(): Promise<void>;
}

/** In how many milliseconds to come again; undefined when nothing is left to do. */
export type ComeBack = number | undefined;

/**
 * Sends a message of ours in the team's name, from its verified domain and untracked. At most once: a claim whose answer was lost is not tried again.
 * Nothing is sent, and nothing claimed, to a suppressed address, nor for a team that may not send: without a verified domain, suspended, or in sandbox.
 */
export async function sendServiceMessage(
  team: TeamItem,
  to: string,
  message: ServiceMessage,
  { claim, release }: Claim,
): Promise<ComeBack> {
  const [domain, suppressed] = await Promise.all([domains.firstVerified(team.id), suppressions.batch(team.id, [to])]);
  if (!domain || team.suspended_at || team.sandbox || suppressed.has(to)) return undefined;
  const comeBackInMs = await waitForDirectRate();
  if (comeBackInMs !== undefined) return comeBackInMs;
  if (!(await claim())) return undefined;
  const { subject, html, text } = renderServiceMessage(message);
  const from = mailbox(`no-reply@${domain}`, team.name);
  try {
    await mailer.sendOne({ from, to, subject: headerSafe(subject), html, text, tags: { team: String(team.id) } });
    return undefined;
  } catch (error) {
    const { outcome } = mailer.failureOf(error);
    logFailure('service message not sent', error, { team_id: team.id, outcome }, 'warn');
    if (outcome === 'unknown') return undefined;
    await release();
    return pauseAfter[outcome];
  }
}
