import { randomUUID } from 'node:crypto';
import { config } from '../../aws/config.ts';
import { logFailure } from '../../aws/log.ts';
import * as mailer from '../../aws/mailer.ts';
import { type PageMessage, queuePageLater } from '../../aws/queue.ts';
import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as recipients from '../../data/campaigns/recipients.ts';
import * as suppressions from '../../data/contacts/suppressions.ts';
import * as due from '../../data/due-jobs.ts';
import { noteDay } from '../../data/events/rows.ts';
import { signingKey } from '../../data/signing-key.ts';
import * as webhooks from '../../data/webhooks/endpoints.ts';
import type { Variant } from '../../domain/campaigns/ab-test.ts';
import type { LedgerStatus } from '../../domain/campaigns/recipient-ledger.ts';
import { mailbox } from '../../domain/messages/mail-address.ts';
import { contactValues, slotValues } from '../../domain/messages/merge-tags.ts';
import { unsubscribeHeaders } from '../../domain/messages/unsubscribe-headers.ts';
import { timestamp } from '../../domain/time.ts';
import { waitForRate } from '../messages/wait-for-rate.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';
import { toSend, variantsOf } from './ab-test.ts';
import { addressees } from './addressees.ts';
import { compiledMessage } from './compile-campaign.ts';
import { sentEvent } from './publish-status.ts';
import { expired, markUnknown } from './settle-page.ts';
import { unsubscribeToken } from './unsubscribe-link.ts';

const throttlePauseSeconds = 5;
const quotaPauseMs = 15 * 60_000;
const throttleRetries = 4;

/** A message to one recipient of the page, by its place on the page, in one of the variants of an A/B test. */
type Addressed = mailer.BulkMessage & { index: number; variant: Variant | undefined };

/**
 * Sends what is still to send on one page: check, render, book the rate, claim, one provider call, commit.
 * Safe to run twice: the claim lies right before the call, and a page that is claimed or done is left alone.
 */
export async function sendPage(message: PageMessage): Promise<void> {
  const { team_id: teamId, campaign_id: campaignId } = message;
  const { campaign, leaf, row } = await recipients.forSending(teamId, campaignId, message.page, message.leaf);
  if (campaign?.status !== 'sending' || !leaf || row?.state === 'done') return;
  if (row?.state === 'sending') {
    if (expired(row)) await markUnknown(teamId, campaignId, message.page, row);
    return;
  }
  const before = recipients.statusesOf(row, leaf.recipients.length);
  const wanted = toSend(campaign, leaf, row);
  if (wanted.length === 0) return;
  const part = recipients.partOf(leaf, wanted[0]!);
  const { checked, messages, lost } = await render(teamId, campaign, leaf, { before, wanted });
  const comeBackInMs = await waitForRate(messages.length);
  if (comeBackInMs !== undefined) return queuePageLater(message, (comeBackInMs / 1000) * (1 + Math.random()));
  const sentAt = recipients.sentAtOf(row, part) ?? timestamp();
  const [endpoints] = await Promise.all([webhooks.active(teamId), noteDay(teamId, sentAt)]);
  const claimId = randomUUID();
  const addressed = new Set(messages.map(({ index }) => index));
  const claimed = before.map((status, index): LedgerStatus => (addressed.has(index) ? 'sending' : status));
  const input = { page: leaf.page, leaf: leaf.sk, before: row, statuses: claimed, claimId };
  if (!(await recipients.claim(teamId, campaignId, input))) return;
  const result = await deliver(teamId, campaign, messages);
  const after = checked.map(
    (status, index) => result.statuses.get(index) ?? (addressed.has(index) ? 'unknown' : status),
  );
  const { pause } = result;
  const errors = { ...lost, ...result.errors };
  const page = { page: leaf.page, claimId, before: claimed, after, errors, part, variants: variantsOf(campaign, leaf) };
  const sent = wanted.some((index) => after[index] === 'sent') ? { sentAt } : {};
  const outbox = sentEvent(teamId, campaignId, endpoints, { ...page, ...sent, leaf: leaf.sk });
  const committed = await commit(teamId, campaignId, { ...page, ...sent, outbox });
  if (committed && outbox) await publishDomainEvents([outbox]);
  if (pause) await pauseForQuota(teamId, campaignId, pause);
  else if (wanted.some((index) => after[index] === 'pending'))
    await queuePageLater(message, throttlePauseSeconds * (1 + Math.random()));
}

/** Pauses the campaign until the account may send again, which the reconciler looks after. */
async function pauseForQuota(teamId: number, campaignId: number, reason: string): Promise<void> {
  await due.schedule({ kind: 'resume', team_id: teamId, campaign_id: campaignId }, new Date(Date.now() + quotaPauseMs));
  await campaigns.move(teamId, campaignId, 'pause', { paused_by: 'quota', failure_reason: reason });
}

/** Writes the page's results; where the lease ran out meanwhile, over the unknowns that it left. False when they were not written now. */
async function commit(
  teamId: number,
  campaignId: number,
  result: Parameters<typeof recipients.settle>[2],
): Promise<boolean> {
  if (await recipients.settle(teamId, campaignId, result)) return true;
  const [row] = await recipients.pageResults(teamId, campaignId, [result.page]);
  if (row?.claim_id !== result.claimId) return false;
  const current = recipients.statusesOf(row, result.after.length);
  if (current.join() === result.after.join()) return false;
  return recipients.settle(teamId, campaignId, { ...result, before: current });
}

/** Who on the page may be mailed now, and their messages; whose merge values are no longer kept is not mailed without them. */
async function render(
  teamId: number,
  campaign: CampaignItem,
  leaf: recipients.RecipientPage,
  { before, wanted }: { before: LedgerStatus[]; wanted: number[] },
): Promise<{ checked: LedgerStatus[]; messages: Addressed[]; lost: Record<string, string> }> {
  const emails = wanted.map((index) => leaf.recipients[index]!.email).filter(Boolean);
  const variants = variantsOf(campaign, leaf).map((id) => campaign.variants?.find((variant) => variant.id === id));
  const [mailable, suppressed, key] = await Promise.all([
    addressees(teamId, campaign, emails),
    suppressions.batch(teamId, emails),
    signingKey(),
  ]);
  const used = [...new Set(wanted.map((index) => variants[index]))];
  const compiled = new Map(
    await Promise.all(
      used.map(async (variant) => [variant, await compiledMessage(teamId, campaign, variant)] as const),
    ),
  );
  const messages: Addressed[] = [];
  const lost: Record<string, string> = {};
  const checked = [...before];
  for (const index of wanted) {
    const { email, contact_id } = leaf.recipients[index]!;
    const addressee = suppressed.has(email) ? undefined : mailable.get(email);
    if (!addressee || addressee.lost) {
      checked[index] = addressee ? 'failed' : 'suppressed';
      if (addressee) lost[index] = 'its merge values are no longer kept';
      continue;
    }
    const variant = variants[index];
    const place = { contact_id, page: leaf.page, index };
    const url = `${config.baseUrl}/unsubscribe/${unsubscribeToken(key, teamId, campaign.id, place)}`;
    messages.push({
      index,
      variant,
      to: email,
      slots: slotValues(compiled.get(variant)!, contactValues(addressee, { unsubscribe_url: url })),
      headers: unsubscribeHeaders(url),
      tags: {
        team: String(teamId),
        campaign: String(campaign.id),
        page: String(leaf.page),
        index: String(index),
        ...(variant && { variant: String(variant.id) }),
      },
    });
  }
  return { checked, messages, lost };
}

interface Delivery {
  statuses: Map<number, LedgerStatus>;
  errors: Record<string, string>;
  /** Why the whole campaign must pause. */
  pause?: string;
}

/** Calls the provider; only what it explicitly throttled is tried again, then left pending. */
async function deliver(teamId: number, campaign: CampaignItem, messages: Addressed[]): Promise<Delivery> {
  const delivery: Delivery = { statuses: new Map(), errors: {} };
  let left = messages;
  const deadline = Date.now() + (recipients.leaseSeconds * 1000) / 3;
  for (let attempt = 0; left.length > 0; attempt++) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * 200 * 2 ** attempt));
    const answers = await callProvider(teamId, campaign, left);
    left = left.filter((message) => note(delivery, message.index, answers.get(message)!) === 'pending');
    if (delivery.pause || attempt >= throttleRetries || Date.now() > deadline) break;
  }
  return delivery;
}

type Answer = mailer.Acceptance | ReturnType<typeof mailer.failureOf>;

/** The answer to each message. Variants go side by side, so that the page takes no longer than its claim lasts; a call that failed answers for its own messages only. */
async function callProvider(
  teamId: number,
  campaign: CampaignItem,
  messages: Addressed[],
): Promise<Map<Addressed, Answer>> {
  const answers = new Map<Addressed, Answer>();
  const variants = [...Map.groupBy(messages, ({ variant }) => variant)];
  await Promise.all(
    variants.map(async ([variant, own]) => {
      const content = await contentOf(teamId, campaign, variant);
      for (const group of mailer.callsFor(content, own)) await oneCall(content, group, answers);
    }),
  );
  return answers;
}

async function contentOf(
  teamId: number,
  campaign: CampaignItem,
  variant: Variant | undefined,
): Promise<mailer.BulkContent> {
  const { subject, html, text } = await compiledMessage(teamId, campaign, variant);
  const from = mailbox(campaign.from_email!, variant?.from_name ?? campaign.from_name);
  return { from, replyTo: campaign.reply_to, subject, html, text };
}

async function oneCall(
  content: mailer.BulkContent,
  messages: Addressed[],
  answers: Map<Addressed, Answer>,
): Promise<void> {
  try {
    const results = await mailer.sendBulk(content, messages);
    for (const [place, message] of messages.entries())
      answers.set(message, results[place] ?? { outcome: 'unknown', error: 'no result' });
  } catch (error) {
    const failure = mailer.failureOf(error);
    const { team, campaign, page } = messages[0]!.tags;
    const ids = { team_id: Number(team), campaign_id: Number(campaign), page: Number(page) };
    logFailure('SES call failed', error, { ...ids, outcome: failure.outcome }, 'warn');
    for (const message of messages) answers.set(message, failure);
  }
}

function note(delivery: Delivery, index: number, { outcome, error }: Answer): LedgerStatus {
  const statuses = {
    accepted: 'sent',
    refused: 'failed',
    throttled: 'pending',
    quota: 'pending',
    unknown: 'unknown',
  } as const;
  const status = statuses[outcome];
  delivery.statuses.set(index, status);
  if (status === 'failed') delivery.errors[index] = error ?? 'refused by the provider';
  if (outcome === 'quota') delivery.pause = error ?? "the provider's sending quota is used up";
  return status;
}
