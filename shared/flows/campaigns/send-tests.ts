import { randomUUID } from 'node:crypto';
import { config } from '../../aws/config.ts';
import * as bodies from '../../data/campaigns/bodies.ts';
import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as contacts from '../../data/contacts/contacts.ts';
import * as suppressions from '../../data/contacts/suppressions.ts';
import { signingKey } from '../../data/signing-key.ts';
import { messageBlockers } from '../../domain/campaigns/send-gates.ts';
import { ApiError, SendBlocked } from '../../domain/errors.ts';
import { mailbox } from '../../domain/messages/mail-address.ts';
import { type CompiledMessage, contactValues, maxMergedCharacters, merged } from '../../domain/messages/merge-tags.ts';
import { checkContent } from '../../domain/messages/screening.ts';
import { unsubscribeHeaders } from '../../domain/messages/unsubscribe-headers.ts';
import type { Operation } from '../../domain/operation.ts';
import { signToken } from '../../domain/signed-token.ts';
import { allowancePeriod, type Plan } from '../../domain/teams/plans.ts';
import { checkSender, deliverOnce, giveBack, takeMessages } from '../messages/deliver-once.ts';
import { recipientsVerified } from '../messages/recipients-verified.ts';
import { compileCampaign } from './compile-campaign.ts';
import { teamBlockers } from './team-blockers.ts';

/**
 * Sends a campaign's message to a few addresses; they count against the allowance and nowhere else. Throws 422 when
 * nothing can be sent; errors of single addresses are in `failed`.
 */
export async function sendTests(
  { teamId, plan }: { teamId: number; plan: Plan },
  stored: CampaignItem,
  addresses: readonly string[],
  operation: Operation,
): Promise<{ sent: string[]; failed: { email: string; error: string }[] }> {
  const campaign = asTested(stored);
  const emails = [...new Set(addresses)];
  await checkMessage(teamId, campaign, emails);
  const suppressed = await suppressions.batch(teamId, emails);
  const failed = emails.flatMap((email) => {
    const why = suppressed.get(email);
    return why ? [{ email, error: `the address is suppressed (${why.reason})` }] : [];
  });
  const mailed = emails.filter((email) => !suppressed.has(email));
  const month = allowancePeriod(operation.startedAt);
  const taken = await operation.memoize('taken', () => takeMessages(teamId, plan, month, mailed.length));
  if (!taken) throw new ApiError(422, 'plan_allowance_exceeded', "The month's emails do not suffice for these tests.");
  const [message, known] = await Promise.all([compileCampaign(teamId, campaign), contacts.batch(teamId, mailed)]);
  const sent: string[] = [];
  for (const [index, email] of mailed.entries()) {
    const error = await sendTest(teamId, campaign, message, known[index] ?? { email }, operation);
    if (error) failed.push({ email, error });
    else sent.push(email);
  }
  const unsent = mailed.length - sent.length;
  const attempt = randomUUID();
  // In this order: a crash between the two leaves unsent tests counted, and never gives them back twice.
  if (unsent > 0 && (await operation.memoize('given back', () => attempt)) === attempt)
    await giveBack(teamId, month, unsent);
  return { sent, failed };
}

/** A campaign as its tests show it: without its own subject, as the first variant of its A/B test. */
function asTested(campaign: CampaignItem): CampaignItem {
  const [first] = (campaign.ab_test_enabled && campaign.variants) || [];
  if (campaign.subject || !first) return campaign;
  return { ...campaign, subject: first.subject, from_name: first.from_name ?? campaign.from_name };
}

/** Throws 422 when the message cannot be sent to any address: its parts, its sender, its team. */
async function checkMessage(teamId: number, campaign: CampaignItem, emails: readonly string[]): Promise<void> {
  const [content, team] = await Promise.all([bodies.find(teamId, campaign.id), teamBlockers(teamId)]);
  const unmet = [...messageBlockers(campaign, content), ...team];
  const waived = unmet.includes('sandboxed') && (await recipientsVerified(teamId, emails)) ? ['sandboxed'] : [];
  const blockers = unmet.filter((word) => !waived.includes(word));
  if (blockers.length > 0) throw new SendBlocked(blockers);
  checkContent(content ?? {});
  await checkSender(teamId, campaign.from_email!);
}

/** Sends to one address; returns why it was not sent, undefined when it was or may have been. */
async function sendTest(
  teamId: number,
  campaign: CampaignItem,
  message: CompiledMessage,
  contact: Parameters<typeof contactValues>[0],
  operation: Operation,
): Promise<string | undefined> {
  const { email } = contact;
  const url = `${config.baseUrl}/unsubscribe/${signToken(await signingKey(), 'unsubscribe', [teamId, 0, 0])}`;
  const rendered = merged(message, contactValues(contact, { unsubscribe_url: url }));
  if (!rendered) return `the contact's values add over ${maxMergedCharacters} characters to the message`;
  const result = await deliverOnce(operation, `test to ${email}`, {
    from: mailbox(campaign.from_email!, campaign.from_name),
    replyTo: campaign.reply_to,
    to: email,
    ...rendered,
    headers: unsubscribeHeaders(url),
    tags: { team: String(teamId), kind: 'test' },
  });
  return 'error' in result ? result.error : undefined;
}
