import { logFailure } from '../../aws/log.ts';
import * as mailer from '../../aws/mailer.ts';
import * as suppressions from '../../data/contacts/suppressions.ts';
import * as domains from '../../data/teams/sending-domains.ts';
import type { TeamItem } from '../../data/teams/teams.ts';
import { mailbox } from '../../domain/messages/mail-address.ts';
import { headerSafe } from '../../domain/messages/merge-tags.ts';
import { renderServiceMessage, type ServiceMessage } from '../../domain/messages/service-message.ts';
import { doubtSender } from './sender-verified.ts';
import { waitForDirectRate } from './wait-for-rate.ts';

/** Milliseconds until the retry after a failure that surely sent nothing; a refused message is not retried. */
const retryMs = { throttled: 5_000, quota: 15 * 60_000, unverified: 15 * 60_000, refused: undefined };

/** The record's mark that its message is sent: claimed right before the call, released when surely nothing was sent. */
export interface Claim {
  claim(): Promise<boolean>;
  release(): Promise<void>;
}

/** Milliseconds until the next attempt; undefined when nothing is left to do. */
export type RetryDelay = number | undefined;

/**
 * Sends a service message from the team's verified domain, untracked and at most once: it is not retried after a lost
 * answer. Nothing is claimed or sent for a suppressed address, or for a team without a verified domain, suspended or in
 * sandbox.
 */
export async function sendServiceMessage(
  team: TeamItem,
  to: string,
  message: ServiceMessage,
  { claim, release }: Claim,
): Promise<RetryDelay> {
  const [domain, suppressed] = await Promise.all([domains.firstVerified(team.id), suppressions.batch(team.id, [to])]);
  if (!domain || team.suspended_at || team.sandbox || suppressed.has(to)) return undefined;
  const retryInMs = await waitForDirectRate();
  if (retryInMs !== undefined) return retryInMs;
  if (!(await claim())) return undefined;
  const { subject, html, text } = renderServiceMessage(message);
  const from = mailbox(`no-reply@${domain}`, team.name);
  try {
    await mailer.sendOne({ from, to, subject: headerSafe(subject), html, text, tags: { team: String(team.id) } });
    return undefined;
  } catch (error) {
    const { outcome } = mailer.failureOf(error, from);
    logFailure('service message not sent', error, { team_id: team.id, outcome }, 'warn');
    if (outcome === 'unknown') return undefined;
    if (outcome === 'unverified') await doubtSender(team.id, from);
    await release();
    return retryMs[outcome];
  }
}
