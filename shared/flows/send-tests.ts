import { randomUUID } from 'node:crypto';
import { config } from '../aws/config.ts';
import { findIdentity } from '../aws/identities.ts';
import * as mailer from '../aws/mailer.ts';
import type { CampaignItem } from '../data/campaigns.ts';
import * as campaigns from '../data/campaigns.ts';
import * as contacts from '../data/contacts.ts';
import * as domains from '../data/sending-domains.ts';
import { signingKey } from '../data/signing-key.ts';
import * as suppressions from '../data/suppressions.ts';
import * as teams from '../data/teams.ts';
import * as usage from '../data/usage.ts';
import { domainOf } from '../domain/email-address.ts';
import { ApiError, SendBlocked } from '../domain/errors.ts';
import { mailbox } from '../domain/mail-address.ts';
import { type CompiledMessage, contactValues, merged } from '../domain/merge-tags.ts';
import type { Plan } from '../domain/plans.ts';
import { type Blocker, messageBlockers } from '../domain/send-gates.ts';
import { signToken } from '../domain/signed-token.ts';
import { compileCampaign } from './compile-message.ts';
import { waitForRate } from './wait-for-rate.ts';

/** The part of an endpoint's operation that tests need: what is begun is not begun again by the same request. */
interface Operation {
  once<T>(name: string, make: () => T | Promise<T>): Promise<T>;
}

/** Which addresses got the message, and why the others did not. */
interface Tested {
  sent: string[];
  failed: { email: string; error: string }[];
}

/**
 * Sends a campaign's message as it stands to a few addresses, merged with the contact where an address is one. They count against the
 * month's allowance and nowhere else. Throws 422 when nothing can be sent at all; what concerns one address is in `failed`.
 */
export async function sendTests(
  { teamId, plan }: { teamId: number; plan: Plan },
  campaign: CampaignItem,
  addresses: readonly string[],
  operation: Operation,
): Promise<Tested> {
  await checkMessage(teamId, campaign);
  const emails = [...new Set(addresses)];
  const suppressed = await suppressions.batch(teamId, emails);
  const failed = emails.flatMap((email) => {
    const why = suppressed.get(email);
    return why ? [{ email, error: `the address is suppressed (${why.reason})` }] : [];
  });
  const mailed = emails.filter((email) => !suppressed.has(email));
  const taken = await operation.once('taken', () => usage.take(teamId, plan, mailed.length));
  if (!taken) throw new ApiError(422, 'plan_allowance_exceeded', "The month's emails do not suffice for these tests.");
  const [message, known] = await Promise.all([compileCampaign(teamId, campaign), contacts.batch(teamId, mailed)]);
  const sent: string[] = [];
  for (const [index, email] of mailed.entries()) {
    const error = await sendTest(teamId, campaign, message, known[index] ?? { email }, operation);
    if (error) failed.push({ email, error });
    else sent.push(email);
  }
  const unsent = mailed.length - sent.length;
  if (unsent > 0)
    await operation.once('given back', async () => {
      await usage.giveBack(teamId, unsent);
      return unsent;
    });
  return { sent, failed };
}

/** Throws 422 for what keeps the message from everybody: its parts, its sender, its team. */
async function checkMessage(teamId: number, campaign: CampaignItem): Promise<void> {
  const [content, team] = await Promise.all([campaigns.content(teamId, campaign.id), teams.find(teamId)]);
  const unmet: Blocker[] = messageBlockers(campaign, content);
  if (team?.suspended_at) unmet.push('sending_suspended');
  if (unmet.length > 0) throw new SendBlocked(unmet);
  const domain = domainOf(campaign.from_email!);
  const [owned, identity] = await Promise.all([domains.find(teamId, domain), findIdentity(domain)]);
  if (!owned || identity?.status !== 'verified')
    throw new ApiError(422, 'sending_domain_unverified', `The sending domain ${domain} is not verified.`);
}

/** Sends to one address; returns why it was not sent, undefined when it was, or may have been. */
async function sendTest(
  teamId: number,
  campaign: CampaignItem,
  message: CompiledMessage,
  contact: Parameters<typeof contactValues>[0],
  operation: Operation,
): Promise<string | undefined> {
  const { email } = contact;
  if ((await waitForRate(1)) !== undefined) return "the account's send rate is used up; try again in a minute";
  const attempt = randomUUID();
  // The same request, executed again after a crash: the first execution may have sent it.
  if ((await operation.once(`test to ${email}`, () => attempt)) !== attempt) return undefined;
  const url = `${config.baseUrl}/unsubscribe/${signToken(await signingKey(), 'unsubscribe', [teamId, 0, 0])}`;
  try {
    await mailer.sendOne({
      from: mailbox(campaign.from_email!, campaign.from_name),
      replyTo: campaign.reply_to,
      to: email,
      ...merged(message, contactValues(contact, { unsubscribe_url: url })),
      headers: { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
      tags: { team: String(teamId) },
    });
    return undefined;
  } catch (error) {
    const failure = mailer.failureOf(error);
    return failure.outcome === 'unknown' ? undefined : failure.error;
  }
}
