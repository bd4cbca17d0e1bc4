import { randomUUID } from 'node:crypto';
import { logFailure } from '../../aws/log.ts';
import * as mailer from '../../aws/mailer.ts';
import { type PageMessage, queuePageLater } from '../../aws/queue.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as pageResults from '../../data/campaigns/page-results.ts';
import type * as recipients from '../../data/campaigns/recipients.ts';
import * as due from '../../data/due-jobs.ts';
import { noteDay } from '../../data/events/rows.ts';
import { bulkMs } from '../../data/messages/send-rate.ts';
import * as webhooks from '../../data/webhooks/endpoints.ts';
import { systemActor } from '../../domain/actor.ts';
import type { Variant } from '../../domain/campaigns/ab-test.ts';
import type { LedgerStatus } from '../../domain/campaigns/recipient-ledger.ts';
import { pageSize } from '../../domain/events/place.ts';
import { mailbox } from '../../domain/messages/mail-address.ts';
import { timestamp } from '../../domain/time.ts';
import { accountLimits } from '../messages/account-limits.ts';
import { doubtSender } from '../messages/sender-verified.ts';
import { acquireRate, sleep } from '../messages/wait-for-rate.ts';
import { publishDomainEvents } from '../publish-domain-events.ts';
import { toSend, variantsOf } from './ab-test.ts';
import { compiledMessage } from './compile-campaign.ts';
import { sentOutboxEvent } from './publish-status.ts';
import { type Addressed, type Rendered, render } from './render-page.ts';
import { moveRow } from './request-move.ts';
import { expired, markUnknown, settleReported } from './settle-page.ts';

const pauseSeconds = 5;
const quotaPauseMs = 15 * 60_000;
const throttleRetries = 4;

/**
 * Sends what is still to send on a page, in calls no larger than what the account sends in a second: reserve the rate
 * for all of them, then for each check, render, claim, call the provider, commit. Idempotent: the claim is right before
 * the call, and a claimed or done page is left alone. What is left at the deadline is queued for its moment.
 */
export async function sendPage(message: PageMessage, deadline: number): Promise<void> {
  const account = await accountLimits();
  const slot = await acquireRate('campaign', message.count ?? pageSize, message.at);
  if ('delaySeconds' in slot) return queuePageLater({ ...message, at: slot.at }, slot.delaySeconds);
  for (let { at } = slot; ; ) {
    const { called, count, blocked } = await sendCall(message, mailer.callSize(account));
    if (count === 0) return;
    const later = { ...message, count };
    if (blocked) return queuePageLater({ ...later, at: undefined }, pauseSeconds * (1 + Math.random()));
    at += bulkMs(called, account.maxSendRate);
    if (at > deadline) return queuePageLater({ ...later, at }, (at - Date.now()) / 1_000);
    await sleep(at - Date.now());
  }
}

/** The messages of a call, and how many the page has left; `blocked` when it may not go on at once. */
interface Left {
  called: number;
  count: number;
  blocked?: boolean;
}

/** Sends the next messages of a page, at most `size`, in one call. */
async function sendCall(
  { team_id: teamId, campaign_id: campaignId, page: pageNumber, leaf }: PageMessage,
  size: number,
): Promise<Left> {
  const nothing = { called: 0, count: 0 };
  const { campaign, page, result } = await pageResults.forSending(teamId, campaignId, pageNumber, leaf);
  if (campaign?.status !== 'sending' || !page || result?.state === 'done') return nothing;
  const pending = toSend(campaign, page, result);
  if (result?.state === 'sending') {
    if (!expired(result)) return nothing;
    await markUnknown(teamId, campaignId, pageNumber, result);
    return { called: 0, count: pending.length, blocked: true };
  }
  // Recipients on whose first message the provider has reported meanwhile are not sent a second one.
  if (result?.resent && (await settleReported(teamId, campaign, page, result)))
    return { called: 0, count: pending.length };
  // The rest first: the worker waits after a call as long as its messages take, and not after the last one.
  const wanted = pending.slice(0, pending.length % size || size);
  if (wanted.length === 0) return nothing;
  const before = pageResults.statusesOf(result, page.recipients.length);
  const rendered = await render(teamId, campaign, page, { result, before, wanted });
  const sent = await claimAndSend(teamId, campaign, page, { result, before, wanted, ...rendered });
  if (sent?.pause) await pause(teamId, campaign, sent.pause);
  if (!sent || sent.pause) return nothing;
  const throttled = wanted.filter((index) => sent.after[index] === 'pending').length;
  const count = pending.length - wanted.length + throttled;
  return { called: rendered.messages.length, count, blocked: throttled > 0 };
}

interface Prepared extends Rendered {
  result: pageResults.PageResult | undefined;
  before: LedgerStatus[];
  wanted: number[];
}

/** Claims the page, calls the provider and commits; undefined when another worker has the page. */
async function claimAndSend(
  teamId: number,
  campaign: campaigns.CampaignItem,
  page: recipients.RecipientPage,
  { result, before, wanted, checked, messages, lost }: Prepared,
): Promise<{ after: LedgerStatus[]; pause: Delivery['pause'] } | undefined> {
  const part = pageResults.partOf(result, page, wanted[0]!);
  const sentAt = pageResults.sentAtOf(result, part, wanted[0]!) ?? timestamp();
  const [endpoints] = await Promise.all([webhooks.active(teamId), noteDay(teamId, sentAt)]);
  const claimId = randomUUID();
  const addressed = new Set(messages.map(({ index }) => index));
  const claimed = before.map((status, index): LedgerStatus => (addressed.has(index) ? 'sending' : status));
  const claim = { before: result, statuses: claimed, claimId };
  if (!(await pageResults.claim(teamId, campaign.id, page, claim))) return undefined;
  const delivery = await deliver(teamId, campaign, messages);
  const after = checked.map(
    (status, index) => delivery.statuses.get(index) ?? (addressed.has(index) ? 'unknown' : status),
  );
  const settlement: pageResults.Settlement = {
    pageNumber: page.number,
    claimId,
    before: claimed,
    after,
    errors: { ...lost, ...delivery.errors },
    part,
    variants: variantsOf(campaign, page),
    ...(wanted.some((index) => after[index] === 'sent') && { sentAt }),
  };
  const outbox = sentOutboxEvent(teamId, campaign.id, endpoints, page, settlement);
  const committed = await commit(teamId, campaign.id, { ...settlement, outbox });
  if (committed && outbox) await publishDomainEvents([outbox]);
  return { after, pause: delivery.pause };
}

/** Pauses a campaign: until a job finds that the account may send again, or until its team has mended the domain. */
async function pause(teamId: number, campaign: campaigns.CampaignItem, { by, reason }: Pause): Promise<void> {
  const { id, from_email } = campaign;
  const row = moveRow(teamId, campaign, systemActor(), { move: 'pause' });
  if (by === 'unverified') {
    await doubtSender(teamId, from_email);
    await campaigns.move(teamId, id, 'pause', { failure_reason: 'sending_domain_unverified' }, {}, [row]);
    return;
  }
  await due.schedule({ kind: 'resume', team_id: teamId, campaign_id: id }, new Date(Date.now() + quotaPauseMs));
  await campaigns.move(teamId, id, 'pause', { paused_by: 'quota', failure_reason: reason }, {}, [row]);
}

/** Writes the page's results, over `unknown` if the lease ran out; false when nothing was written. */
async function commit(teamId: number, campaignId: number, settlement: pageResults.Settlement): Promise<boolean> {
  if (await pageResults.settle(teamId, campaignId, settlement)) return true;
  const result = await pageResults.find(teamId, campaignId, settlement.pageNumber);
  if (result?.claim_id !== settlement.claimId) return false;
  const current = pageResults.statusesOf(result, settlement.after.length);
  const after = current.map((status, index) =>
    settlement.before[index] === settlement.after[index] ? status : settlement.after[index]!,
  );
  if (current.join() === after.join()) return false;
  return pageResults.settle(teamId, campaignId, { ...settlement, before: current, after });
}

/** Why a whole campaign must pause. */
interface Pause {
  by: 'quota' | 'unverified';
  reason: string;
}

interface Delivery {
  statuses: Map<number, LedgerStatus>;
  errors: Record<string, string>;
  pause?: Pause;
}

/** Calls the provider; retries only what it explicitly throttled, then leaves that pending. */
async function deliver(teamId: number, campaign: campaigns.CampaignItem, messages: Addressed[]): Promise<Delivery> {
  const delivery: Delivery = { statuses: new Map(), errors: {} };
  let left = messages;
  const deadline = Date.now() + (pageResults.leaseSeconds * 1000) / 3;
  for (let attempt = 0; left.length > 0; attempt++) {
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, Math.random() * 200 * 2 ** attempt));
    const answers = await callProvider(teamId, campaign, left);
    left = left.filter((message) => note(delivery, message.index, answers.get(message)!) === 'pending');
    if (delivery.pause || attempt >= throttleRetries || Date.now() > deadline) break;
  }
  return delivery;
}

type Answer = mailer.Acceptance | ReturnType<typeof mailer.failureOf>;

/** The provider's answer to each message. Variants are sent concurrently, to stay within the lease. */
async function callProvider(
  teamId: number,
  campaign: campaigns.CampaignItem,
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
  campaign: campaigns.CampaignItem,
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
    for (const [index, message] of messages.entries())
      answers.set(message, results[index] ?? { outcome: 'unknown', error: 'no result' });
  } catch (error) {
    const failure = mailer.failureOf(error, content.from);
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
    unverified: 'pending',
    unknown: 'unknown',
  } as const;
  const status = statuses[outcome];
  delivery.statuses.set(index, status);
  if (status === 'failed') delivery.errors[index] = error ?? 'refused by the provider';
  if (outcome === 'quota' || outcome === 'unverified') delivery.pause = { by: outcome, reason: error ?? outcome };
  return status;
}
