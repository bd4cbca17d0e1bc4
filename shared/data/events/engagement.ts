import { keys, partitions } from '../keys.ts';
import type { Source } from '../paging.ts';
import { partition } from '../sources.ts';
import * as table from '../table.ts';

/** The first time of each kind of human engagement or failure of a recipient; recipients without any have no row. */
export interface EngagementItem {
  pk: string;
  sk: string;
  contact_id: number | null;
  /** The variant of its message, in a campaign with an A/B test. */
  variant?: number;
  /** The recipient's place, after its address was erased. */
  page?: number;
  index?: number;
  opened_at?: string;
  clicked_at?: string;
  bounced_at?: string;
  complained_at?: string;
  unsubscribed_at?: string;
}

/** One kind of engagement. */
export type Engagement = 'opened_at' | 'clicked_at' | 'bounced_at' | 'complained_at' | 'unsubscribed_at';

/** The attribute and the counter of a recipient's first event of a type. */
export const byEvent = {
  opened: ['opened_at', 'opened'],
  clicked: ['clicked_at', 'clicked'],
  bounced: ['bounced_at', 'bounced'],
  spam_report: ['complained_at', 'complained'],
  unsubscribed: ['unsubscribed_at', 'unsubscribed'],
} as const;

/** Opens and clicks of one variant of an A/B test. */
type OfVariant = `${'opened' | 'clicked'}_${number}`;

/** Counters of a campaign's feedback; each counts recipients once, `delivered` counts deliveries. */
export interface FeedbackCounts extends Partial<Record<OfVariant, number>> {
  delivered: number;
  opened: number;
  clicked: number;
  bounced: number;
  complained: number;
  unsubscribed: number;
}

/** No feedback yet. */
export const noFeedback: FeedbackCounts = {
  delivered: 0,
  opened: 0,
  clicked: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
};

/**
 * Stores a recipient's engagement, keeping the earliest time: `first` of its kind, already `known`, or `doubtful` after
 * a lost answer.
 */
export async function note(
  teamId: number,
  campaignId: number,
  recipient: { email: string; contact_id: number | null; variant?: number },
  kind: Engagement,
  at: string,
): Promise<'first' | 'known' | 'doubtful'> {
  try {
    const old = await table.update<EngagementItem>({
      Key: keys.engagement(teamId, campaignId, recipient.email),
      UpdateExpression: `SET #kind = :at, contact_id = :contact${recipient.variant ? ', variant = :variant' : ''}`,
      ConditionExpression: 'attribute_not_exists(#kind) OR #kind > :at',
      ExpressionAttributeNames: { '#kind': kind },
      ExpressionAttributeValues: {
        ':at': at,
        ':contact': recipient.contact_id,
        ...(recipient.variant && { ':variant': recipient.variant }),
      },
      ReturnValues: 'ALL_OLD',
    });
    return old?.[kind] === undefined ? 'first' : 'known';
  } catch (error) {
    if (!table.conditionFailed(error)) throw error;
    return table.retried(error) ? 'doubtful' : 'known';
  }
}

/**
 * Sets or removes the time of a recipient's first human open or click. Returns the change of its counter, `doubtful`
 * after a lost answer, and whether anything was written.
 */
export async function setFirst(
  teamId: number,
  campaignId: number,
  recipient: { email: string; contact_id: number | null; variant?: number },
  kind: 'opened_at' | 'clicked_at',
  at: string | undefined,
): Promise<{ change: -1 | 0 | 1 | 'doubtful'; written: boolean }> {
  const { email, contact_id, variant } = recipient;
  const set = `SET #kind = :at, contact_id = :contact${variant ? ', variant = :variant' : ''}`;
  const values = { ':at': at, ':contact': contact_id, ...(variant && { ':variant': variant }) };
  try {
    const old = await table.update<EngagementItem>({
      Key: keys.engagement(teamId, campaignId, email),
      ExpressionAttributeNames: { '#kind': kind },
      ...(at === undefined
        ? { UpdateExpression: 'REMOVE #kind', ConditionExpression: 'attribute_exists(#kind)' }
        : {
            UpdateExpression: set,
            ConditionExpression: 'attribute_not_exists(#kind) OR #kind <> :at',
            ExpressionAttributeValues: values,
          }),
      ReturnValues: 'ALL_OLD',
    });
    if (at === undefined) return { change: -1, written: true };
    return { change: old?.[kind] === undefined ? 1 : 0, written: true };
  } catch (error) {
    if (!table.conditionFailed(error)) throw error;
    return table.retried(error) ? { change: 'doubtful', written: true } : { change: 0, written: false };
  }
}

/** Engagement rows of a campaign in address order. */
export function list(teamId: number, campaignId: number): Source<EngagementItem> {
  return partition<EngagementItem>({ pk: partitions.engagement(teamId, campaignId) });
}

/** The times of each recipient's first open and click, and nothing else: a campaign may have very many rows. */
export function firstMoments(
  teamId: number,
  campaignId: number,
): AsyncGenerator<Pick<EngagementItem, 'opened_at' | 'clicked_at'>> {
  return table.queryAll({
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partitions.engagement(teamId, campaignId) },
    ProjectionExpression: 'opened_at, clicked_at',
  });
}

/** Engagement rows between two addresses, by address. */
export async function between(
  teamId: number,
  campaignId: number,
  first: string,
  last: string,
): Promise<Map<string, EngagementItem>> {
  const found = new Map<string, EngagementItem>();
  if (first > last) return found;
  const rows = table.queryAll<EngagementItem>({
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :first AND :last',
    ExpressionAttributeValues: { ':pk': partitions.engagement(teamId, campaignId), ':first': first, ':last': last },
    ConsistentRead: true,
  });
  for await (const row of rows) found.set(row.sk, row);
  return found;
}

/** A recipient's place in its campaign: page number and index; an erasure does not change it. */
export interface Place {
  page: number;
  index: number;
}

/** The engagement of erased recipients, in the order of the places. */
export function ofErased(
  teamId: number,
  campaignId: number,
  places: readonly Place[],
): Promise<(EngagementItem | undefined)[]> {
  return table.batchGet<EngagementItem>(places.map((place) => keys.erasedEngagement(teamId, campaignId, place)));
}

/**
 * Stores a recipient's engagement under its place instead of its address. An address without a place loses the row, if
 * it is `theirs`.
 */
export async function anonymize(
  teamId: number,
  campaignId: number,
  email: string,
  place: Place | undefined,
  theirs: (row: EngagementItem) => boolean,
): Promise<void> {
  const Key = keys.engagement(teamId, campaignId, email);
  const row = await table.get<EngagementItem>(Key);
  if (!row || !(place || theirs(row))) return;
  if (!place) return table.remove({ Key });
  const Item = { ...row, ...keys.erasedEngagement(teamId, campaignId, place), ...place, contact_id: null };
  await table.transact([{ Delete: { Key } }, { Put: { Item } }]);
}

/** Feedback counters, with the number of batches and recounts that wrote them. */
export interface Counted extends FeedbackCounts {
  version: number;
  recounts: number;
}

/** The campaign's feedback counters. */
export async function counts(teamId: number, campaignId: number): Promise<Counted> {
  const item = await table.get<Partial<Counted>>(keys.feedbackStats(teamId, campaignId));
  return { ...noFeedback, version: 0, recounts: 0, ...item };
}

const countersIn = (counts: Partial<FeedbackCounts>) =>
  Object.keys({ ...noFeedback, ...counts }) as (keyof FeedbackCounts)[];

/** The feedback counters of campaigns in the order of their ids; eventually consistent. */
export async function countsOf(teamId: number, campaignIds: readonly number[]): Promise<FeedbackCounts[]> {
  const wanted = campaignIds.map((id) => keys.feedbackStats(teamId, id));
  const items = await table.batchGet<Partial<FeedbackCounts>>(wanted, { eventual: true });
  return items.map((item) => ({ ...noFeedback, ...item }));
}

/**
 * Adds a batch's counts; false when a lost answer may have counted them twice, or a recount since `recounts` has
 * counted them.
 */
export function count(
  teamId: number,
  campaignId: number,
  delta: Partial<FeedbackCounts>,
  recounts: number,
): Promise<boolean> {
  const names = countersIn(delta);
  return table.addOnce({
    Key: keys.feedbackStats(teamId, campaignId),
    UpdateExpression: `ADD ${names.map((name) => `${name} :${name}`).join(', ')}, version :one`,
    ConditionExpression: recounts === 0 ? 'attribute_not_exists(recounts)' : 'recounts = :recounts',
    ExpressionAttributeValues: {
      ':one': 1,
      ...(recounts > 0 && { ':recounts': recounts }),
      ...Object.fromEntries(names.map((name) => [`:${name}`, delta[name] ?? 0])),
    },
  });
}

/** Replaces the counters by a recount; false when a batch was counted since `version`. */
export async function recounted(
  teamId: number,
  campaignId: number,
  counts: FeedbackCounts,
  version: number,
): Promise<boolean> {
  const names = countersIn(counts);
  const done = await table.updateIf({
    Key: keys.feedbackStats(teamId, campaignId),
    UpdateExpression: `SET ${names.map((name) => `${name} = :${name}`).join(', ')}, version = :next ADD recounts :one`,
    ConditionExpression: version === 0 ? 'attribute_not_exists(version) OR version = :version' : 'version = :version',
    ExpressionAttributeValues: {
      ':version': version,
      ':next': version + 1,
      ':one': 1,
      ...Object.fromEntries(names.map((name) => [`:${name}`, counts[name]])),
    },
    ReturnValues: 'NONE',
  });
  return done !== undefined;
}
