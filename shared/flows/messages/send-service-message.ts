import { config } from '../../aws/config.ts';
import { log, logFailure } from '../../aws/log.ts';
import * as mailer from '../../aws/mailer.ts';
import * as suppressions from '../../data/contacts/suppressions.ts';
import * as serviceMail from '../../data/messages/service-mail.ts';
import { signingKey } from '../../data/signing-key.ts';
import * as domains from '../../data/teams/sending-domains.ts';
import type { TeamItem } from '../../data/teams/teams.ts';
import { sealToken } from '../../domain/address-token.ts';
import { mailbox } from '../../domain/messages/mail-address.ts';
import { headerSafe } from '../../domain/messages/merge-tags.ts';
import type { ServiceMail } from '../../domain/messages/service-limits.ts';
import { renderServiceMessage, type ServiceMessage } from '../../domain/messages/service-message.ts';
import { serviceName } from '../../domain/messages/service-name.ts';
import { unsubscribeHeaders } from '../../domain/messages/unsubscribe-headers.ts';
import { doubtSender } from './sender-verified.ts';
import { waitForDirectRate } from './wait-for-rate.ts';

/** Milliseconds until the retry after a failure that surely sent nothing; a refused message is not retried. */
const retryMs = { throttled: 5_000, quota: 15 * 60_000, unverified: 15 * 60_000, refused: undefined };

/** How a service message is sent. */
export interface ServiceSending {
  /** What it is counted as. */
  as: ServiceMail;
  /** With a link and the headers that end all messages of the team to the address. */
  unsubscribable?: true;
  /** The write that marks its record as sent, right before the call. */
  claim?: Parameters<typeof serviceMail.count>[3];
  /** Removes that mark when surely nothing was sent. */
  release?(): Promise<void>;
}

/** Milliseconds until the next attempt (see `untilAllowed`); undefined when nothing is left to do. */
export type RetryDelay = number | undefined;

/** The message is held until the team may send: it has no allowance left, or its reputation forbids it. */
export const untilAllowed: RetryDelay = Number.POSITIVE_INFINITY;

/** The name of a team as a service message shows it. */
export const senderName = ({ name }: Pick<TeamItem, 'name'>): string => serviceName(name, 'this sender');

/**
 * Sends a service message from the team's verified domain, untracked and at most once: it is not retried after a lost
 * answer, and a crash between the count and the call loses it. Nothing is counted or sent for a suppressed address, for
 * a team without a verified domain, suspended or in sandbox, or over the limits of the address. Over the allowance it
 * is held, but for a mail that a stranger caused.
 */
export async function sendServiceMessage(
  team: TeamItem,
  to: string,
  message: ServiceMessage,
  { as, unsubscribable, claim, release }: ServiceSending,
): Promise<RetryDelay> {
  const [domain, suppressed] = await Promise.all([domains.firstVerified(team.id), suppressions.batch(team.id, [to])]);
  if (!domain || team.suspended_at || team.sandbox || suppressed.has(to)) return undefined;
  const retryInMs = await waitForDirectRate();
  if (retryInMs !== undefined) return retryInMs;
  const counted = await serviceMail.count(team, as, to, claim);
  if (typeof counted === 'string') {
    log.info('service message not sent', { team_id: team.id, kind: as.kind, because_of: counted });
    // What strangers cause is not held: without a limit of the day there could be any number of it.
    return counted === 'allowance' && as.kind !== 'place' ? untilAllowed : undefined;
  }
  const from = mailbox(`no-reply@${domain}`, senderName(team));
  try {
    await mailer.sendOne({ from, to, ...(await contentOf(team, to, message, unsubscribable)), tags: tagsOf(team, as) });
    return undefined;
  } catch (error) {
    const { outcome } = mailer.failureOf(error, from);
    logFailure('service message not sent', error, { team_id: team.id, outcome }, 'warn');
    if (outcome === 'unknown') return undefined;
    if (outcome === 'unverified') await doubtSender(team.id, from);
    await Promise.all([counted.giveBack(), release?.()]);
    return retryMs[outcome];
  }
}

async function contentOf(team: TeamItem, to: string, message: ServiceMessage, unsubscribable = false) {
  const url = unsubscribable
    ? `${config.baseUrl}/unsubscribe/${sealToken(await signingKey(), 'service', [team.id], to)}`
    : undefined;
  const { subject, html, text } = renderServiceMessage(message, url);
  const headers = url === undefined ? {} : unsubscribeHeaders(url);
  return { subject: headerSafe(subject), html, text, headers };
}

/** With a kind, the message's bounces and complaints count for the team's reputation. */
const tagsOf = (team: TeamItem, { kind }: ServiceMail) => ({ team: String(team.id), kind });
