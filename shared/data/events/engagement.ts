import { type Key, keys, partitions } from '../keys.ts';
import type { Source } from '../paging.ts';
import { partition } from '../sources.ts';
import * as table from '../table.ts';
import { deliveredCounters } from './shards.ts';

/** The first time of each kind of human engagement or failure of a recipient; recipients without any have no row. */
export interface EngagementItem extends Key {
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

/** Rows that one Query reads, so that a reader who is in a hurry can stop. */
const readAtOnce = 1_000;

/** One kind of engagement. */
export type Engagement = Extract<keyof EngagementItem, `${string}_at`>;

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

/** No feedback yet. */
export const noFeedback = { delivered: 0, opened: 0, clicked: 0, bounced: 0, complained: 0, unsubscribed: 0 };

/** Counters of a campaign's feedback; each counts recipients once, `delivered` counts deliveries. */
export type FeedbackCounts = typeof noFeedback & Partial<Record<OfVariant, number>>;

interface EngagedRecipient {
  email: string;
  contact_id: number | null;
  variant?: number;
}

/** Changes the time of one kind of engagement under a condition; `doubtful` when a lost answer hides whether it did. */
async function setTime(
  teamId: number,
  campaignId: number,
  { email, contact_id, variant }: EngagedRecipient,
  kind: Engagement,
  { at, condition, seen }: { at: string | undefined; condition: string; seen?: string },
): Promise<{ outcome: 'written' | 'refused' | 'doubtful'; before?: string }> {
  const values = {
    ...(at !== undefined && { ':at': at, ':contact': contact_id, ...(variant && { ':variant': variant }) }),
    ...(seen !== undefined && { ':seen': seen }),
  };
  try {
    const old = await table.update<EngagementItem>({
      Key: keys.engagement(teamId, campaignId, email),
      UpdateExpression:
        at === undefined
          ? `REMOVE ${kind}`
          : `SET ${kind} = :at, contact_id = :contact${variant ? ', variant = :variant' : ''}`,
      ConditionExpression: condition,
      ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
      ReturnValues: 'ALL_OLD',
    });
    return { outcome: 'written', before: old?.[kind] };
  } catch (error) {
    if (!table.conditionFailed(error)) throw error;
    return { outcome: table.retried(error) ? 'doubtful' : 'refused' };
  }
}

/** Stores the earliest time of an engagement; `doubtful` when a lost answer hides whether it is the first. */
export async function note(
  teamId: number,
  campaignId: number,
  recipient: EngagedRecipient,
  kind: Engagement,
  at: string,
): Promise<'first' | 'known' | 'doubtful'> {
  const condition = `attribute_not_exists(${kind}) OR ${kind} > :at`;
  const { outcome, before } = await setTime(teamId, campaignId, recipient, kind, { at, condition });
  if (outcome === 'doubtful') return outcome;
  return outcome === 'written' && before === undefined ? 'first' : 'known';
}

/** Reads the engagement of an address; undefined when it has none. */
export const find = (teamId: number, campaignId: number, email: string): Promise<EngagementItem | undefined> =>
  table.get<EngagementItem>(keys.engagement(teamId, campaignId, email));

/** Sets or removes the first human click; returns the counter's change and whether it wrote. */
export async function setClick(
  teamId: number,
  campaignId: number,
  recipient: EngagedRecipient,
  at: string | undefined,
): Promise<{ change: -1 | 0 | 1 | 'doubtful'; written: boolean }> {
  const other = 'attribute_not_exists(clicked_at) OR clicked_at <> :at';
  const condition = at === undefined ? 'attribute_exists(clicked_at)' : other;
  const { outcome, before } = await setTime(teamId, campaignId, recipient, 'clicked_at', { at, condition });
  if (outcome === 'doubtful') return { change: outcome, written: true };
  if (outcome === 'refused') return { change: 0, written: false };
  return { change: at === undefined ? -1 : before === undefined ? 1 : 0, written: true };
}

/** Replaces the first human open or click if it is still the one that was seen; returns the counter's change. */
export async function replace(
  teamId: number,
  campaignId: number,
  recipient: EngagedRecipient,
  kind: 'opened_at' | 'clicked_at',
  seen: string | undefined,
  at: string | undefined,
): Promise<-1 | 0 | 1 | 'doubtful'> {
  const condition = seen === undefined ? `attribute_not_exists(${kind})` : `${kind} = :seen`;
  const { outcome } = await setTime(teamId, campaignId, recipient, kind, { at, condition, seen });
  if (outcome === 'doubtful') return outcome;
  const count = (time: string | undefined) => (time === undefined ? 0 : 1);
  return outcome === 'refused' ? 0 : ((count(at) - count(seen)) as -1 | 0 | 1);
}

/** Engagement rows of a campaign in address order. */
export function list(teamId: number, campaignId: number): Source<EngagementItem> {
  return partition<EngagementItem>({ pk: partitions.engagement(teamId, campaignId) });
}

/** The times of the first open and click of recipients after a position, and nothing else: there may be very many. */
export function firstMoments(
  teamId: number,
  campaignId: number,
  position = ' ',
): AsyncGenerator<Pick<EngagementItem, 'sk' | 'opened_at' | 'clicked_at'>> {
  return table.queryAll({
    ...table.following(partitions.engagement(teamId, campaignId), position),
    ProjectionExpression: 'sk, opened_at, clicked_at',
    Limit: readAtOnce,
  });
}

/** Engagement rows between two addresses, by address. */
export async function between(
  teamId: number,
  campaignId: number,
  first: string,
  last: string,
): Promise<Map<string, EngagementItem>> {
  if (first > last) return new Map();
  const range = table.within(partitions.engagement(teamId, campaignId), { between: [first, last] });
  const rows = await table.all<EngagementItem>({ ...range, ConsistentRead: true });
  return new Map(rows.map((row) => [row.sk, row]));
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

/** Moves a recipient's engagement from its address to its place; without a place, removes it if `theirs`. */
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

/** The counters of a campaign's rows: of its deliveries only those that are not packed. */
export async function countsOfRows(teamId: number, campaignId: number): Promise<Counted> {
  const item = await table.get<Partial<Counted>>(keys.feedbackStats(teamId, campaignId));
  return { ...noFeedback, version: 0, recounts: 0, ...item };
}

/** The campaign's feedback counters. */
export async function counts(teamId: number, campaignId: number): Promise<FeedbackCounts> {
  const [found] = await countsOf(teamId, [campaignId], { eventual: false });
  return found!;
}

const countersIn = (counts: Partial<FeedbackCounts>) =>
  Object.keys({ ...noFeedback, ...counts }) as (keyof FeedbackCounts)[];

/** The feedback counters of campaigns in the order of their ids. */
export async function countsOf(
  teamId: number,
  campaignIds: readonly number[],
  { eventual = true }: { eventual?: boolean } = {},
): Promise<FeedbackCounts[]> {
  const wanted = campaignIds.map((id) => [keys.feedbackStats(teamId, id), ...deliveredCounters(teamId, id)]);
  const items = await table.batchGet<Partial<FeedbackCounts>>(wanted.flat(), { eventual });
  return wanted.map(({ length }) => {
    const own = items.splice(0, length);
    const delivered = own.reduce((sum, item) => sum + (item?.delivered ?? 0), 0);
    return { ...noFeedback, ...own[0], delivered };
  });
}

/** Adds a batch's counts; false when they may be counted twice, or a recount has counted them. */
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
export function recounted(
  teamId: number,
  campaignId: number,
  counts: FeedbackCounts,
  version: number,
): Promise<boolean> {
  const names = countersIn(counts);
  return table.writeIf({
    Key: keys.feedbackStats(teamId, campaignId),
    UpdateExpression: `SET ${names.map((name) => `${name} = :${name}`).join(', ')}, version = :next ADD recounts :one`,
    ConditionExpression: version === 0 ? 'attribute_not_exists(version) OR version = :version' : 'version = :version',
    ExpressionAttributeValues: {
      ':version': version,
      ':next': version + 1,
      ':one': 1,
      ...Object.fromEntries(names.map((name) => [`:${name}`, counts[name]])),
    },
  });
}
