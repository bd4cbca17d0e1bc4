import * as imports from '../../data/campaigns/audience-imports.ts';
import * as rows from '../../data/campaigns/audience-rows.ts';
import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import type { Recipient } from '../../data/campaigns/recipients.ts';
import * as contacts from '../../data/contacts/contacts.ts';
import * as lists from '../../data/contacts/lists.ts';
import { cheapest, type WalkIndex, walk } from '../../data/contacts/walk.ts';
import { lastId } from '../../data/counters.ts';
import { concurrently, finishedWithin } from '../../domain/concurrently.ts';
import { complete, pathsOf, type SegmentDefinition } from '../../domain/contacts/segments.ts';
import { existingTags, type SegmentFilter, segmentFilter } from './segment-filter.ts';

/** The active contacts of a list, or of the whole team, that match a definition. */
interface Audience {
  listId?: number;
  definition: SegmentDefinition;
}

/** How an audience is read: by the cheapest index for a team of about `total` contacts. */
interface Plan extends Audience {
  total: number;
  /** About how many contacts are read that are in the list, if it has one. */
  expected: number;
  index: WalkIndex;
  inSegment: SegmentFilter;
}

/** A consistent count of more contacts is too slow (docs/decisions/segments.md). */
const countedConsistently = 100_000;
const readInOne = 1_000;
/** Somebody waits for a preview or a preflight: a count that is not done by then is an estimate. */
const countMs = 8_000;
/** Bounds of the address ranges that are read concurrently. */
const cuts = [undefined, 'c', 'g', 'k', 'n', 's', undefined];
const rangesAtOnce = 4;
const sampleSize = 10;

async function planOf(teamId: number, { listId, definition }: Audience): Promise<Plan> {
  const [total, list, tags] = await Promise.all([
    lastId(teamId, 'contact'),
    listId === undefined ? undefined : lists.find(teamId, listId),
    existingTags(teamId, definition),
  ]);
  const ids = tags.map(({ id }) => id);
  const tagged = tags.reduce((sum, tag) => sum + tag.contacts_count, 0);
  const index = cheapest(total, [
    ...(listId === undefined ? [] : [{ index: { by: 'list', id: listId } as const, size: list?.contacts_count ?? 0 }]),
    ...(definition.tag_ids?.length ? [{ index: { by: 'tags', ids } as const, size: tagged }] : []),
  ]);
  const inSegment = segmentFilter(teamId, definition, new Date());
  const expected = Math.min(list?.contacts_count ?? total, index.by === 'tags' ? tagged : total);
  return { listId, definition, total, expected, index, inSegment };
}

/** Reads an audience between two addresses, in order, in batches; `paths` are the contact attributes wanted. */
async function* resolve(
  teamId: number,
  { listId, definition, index, inSegment }: Plan,
  range: { after?: string; before?: string; paths?: readonly string[]; eventual?: boolean },
): AsyncGenerator<{ contacts: contacts.ContactItem[]; read: number; reached: string }> {
  const inList = (contact: contacts.ContactItem) => listId === undefined || contact.list_ids.includes(listId);
  const needed = ['email', 'status', ...(listId === undefined ? [] : ['list_ids']), ...pathsOf(definition)];
  const batches = walk(teamId, { ...range, index, paths: [...needed, ...(range.paths ?? [])] });
  for await (const { contacts: batch, reached } of batches) {
    const members = batch.filter(inList);
    const candidates = members.filter(({ status }) => status === 'active');
    const found = candidates.length > 0 ? await inSegment(candidates) : [];
    yield { contacts: found, read: members.length, reached };
  }
}

type Targeted = Pick<CampaignItem, 'contact_list_id' | 'audience_filters'>;

const audienceOf = (listId: number, { audience_filters }: Targeted): Audience => ({
  listId,
  definition: audience_filters ?? {},
});

/** A campaign's recipients in address order, in batches, strictly after an address. */
export async function* audience(
  teamId: number,
  campaign: Targeted & Pick<CampaignItem, 'id' | 'audience_source'>,
  after?: string,
): AsyncGenerator<{ recipients: Recipient[]; reached: string }> {
  if (campaign.audience_source === 'warehouse') return yield* importedAudience(teamId, campaign.id, after);
  if (campaign.contact_list_id === null) return;
  const plan = await planOf(teamId, audienceOf(campaign.contact_list_id, campaign));
  for await (const { contacts: batch, reached } of resolve(teamId, plan, { after, paths: ['id'] }))
    yield { recipients: batch.map(({ email, id }) => ({ email, contact_id: id })), reached };
}

/** The imported addresses that are active contacts or none; one that unsubscribed or bounced stays out. */
async function* importedAudience(
  teamId: number,
  campaignId: number,
  after?: string,
): AsyncGenerator<{ recipients: Recipient[]; reached: string }> {
  const found = await imports.find(teamId, campaignId);
  if (!found) return;
  for await (const emails of rows.addresses(teamId, campaignId, found, after)) {
    const stored = await contacts.batchStored(teamId, emails);
    const recipients = emails.flatMap((email, index): Recipient[] => {
      const contact = stored[index];
      if (contact && contact.status !== 'active') return [];
      return [{ email, contact_id: contact && !contact.deleted_at ? contact.id : 0 }];
    });
    yield { recipients, reached: emails.at(-1)! };
  }
}

/** The contacts of an audience that were counted in the time there was. */
export interface AudienceCount {
  count: number;
  /** Whether these are all. */
  exact: boolean;
  /** How many there are, projected from the contacts that were read. */
  estimate: number;
}

/** Bounds of a count: it stops at `enough` contacts, or after `withinMs`. */
interface CountBounds {
  enough?: number;
  withinMs?: number;
}

/** Counts an audience within bounds, with its first `few` addresses. */
async function survey(
  teamId: number,
  wanted: Audience,
  { few = 0, enough = Number.POSITIVE_INFINITY, withinMs = countMs }: CountBounds & { few?: number },
): Promise<AudienceCount & { first: string[] }> {
  const until = Date.now() + withinMs;
  const plan = await planOf(teamId, wanted);
  const eventual = plan.total > countedConsistently;
  const bounds = plan.total > readInOne ? cuts.slice(1).map((before, i) => ({ after: cuts[i], before })) : [{}];
  const ranges = bounds.map((range) => ({ ...range, first: [] as string[] }));
  let [count, read, stopped] = [0, 0, false];
  const counting = concurrently(ranges, rangesAtOnce, async ({ first, ...range }) => {
    if (stopped) return;
    for await (const batch of resolve(teamId, plan, { ...range, eventual })) {
      if (stopped) return;
      count += batch.contacts.length;
      read += batch.read;
      first.push(...batch.contacts.slice(0, few - first.length).map(({ email }) => email));
      stopped ||= count >= enough || Date.now() > until;
    }
  });
  // A batch that takes long, such as one of a filter that reads campaigns, is not waited for.
  const exact = (await finishedWithin(until - Date.now(), counting)) && !stopped;
  stopped = true;
  const estimate = exact ? count : Math.max(count, projected(count, read, plan.expected));
  return { count, exact, estimate, first: ranges.flatMap(({ first }) => first).slice(0, few) };
}

/** How many of all `expected` contacts match when `count` of those that were read do. */
const projected = (count: number, read: number, expected: number): number =>
  read === 0 ? expected : Math.round((count / read) * Math.max(read, expected));

/** Counts the recipients that a campaign would have now. */
export async function countAudience(
  teamId: number,
  campaign: Targeted,
  bounds: CountBounds = {},
): Promise<AudienceCount> {
  if (campaign.contact_list_id === null) return { count: 0, exact: true, estimate: 0 };
  return survey(teamId, audienceOf(campaign.contact_list_id, campaign), bounds);
}

/** A segment's preview: its number of active contacts, complete definition and first ten contacts. */
export async function previewSegment(teamId: number, definition: SegmentDefinition, withinMs?: number) {
  const { estimate, exact, first } = await survey(teamId, { definition }, { few: sampleSize, withinMs });
  const sample = (await contacts.batch(teamId, first)).flatMap((contact) => (contact ? contacts.view(contact) : []));
  return { count: estimate, exact, filters: complete(definition), sample };
}
