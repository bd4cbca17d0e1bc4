import type { CampaignItem } from '../data/campaigns.ts';
import { cheapest, type WalkIndex, walk } from '../data/contact-walk.ts';
import type { ContactItem } from '../data/contacts.ts';
import { lastId } from '../data/counters.ts';
import * as lists from '../data/lists.ts';
import type { Recipient } from '../data/recipients.ts';
import { pathsOf, type SegmentDefinition } from '../domain/segments.ts';
import { concurrently } from './concurrently.ts';
import { existingTags, segmentFilter } from './segment-filter.ts';

/** The active contacts of a list, or of the whole team, that a definition leaves. */
interface Audience {
  listId?: number;
  definition: SegmentDefinition;
}

/** How an audience is read: by the index that is cheapest for a team of about `total` contacts. */
interface Plan {
  total: number;
  index: WalkIndex;
}

/** Contacts up to which a count reads all at once and misses nobody who was written a moment ago; above, a partition of DynamoDB would not give them in time (docs/decisions/segments.md). */
const countedConsistently = 100_000;
const readInOne = 1_000;
/** Cuts the addresses into ranges that are read side by side. */
const cuts = [undefined, 'c', 'g', 'k', 'n', 's', undefined];
const rangesAtOnce = 4;

async function plan(teamId: number, { listId, definition }: Audience): Promise<Plan> {
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
  return { total, index };
}

/** Reads an audience in address order, in batches, between two addresses; `paths` are what else is wanted of a contact. */
async function* resolve(
  teamId: number,
  { listId, definition }: Audience,
  { index }: Plan,
  range: { after?: string; before?: string; paths?: readonly string[]; eventual?: boolean; now: Date },
): AsyncGenerator<{ contacts: ContactItem[]; reached: string }> {
  const inSegment = segmentFilter(teamId, definition, range.now);
  const belongs = (contact: ContactItem) =>
    contact.status === 'active' && (listId === undefined || contact.list_ids.includes(listId));
  const needed = ['email', 'status', ...(listId === undefined ? [] : ['list_ids']), ...pathsOf(definition)];
  const batches = walk(teamId, { ...range, index, paths: [...needed, ...(range.paths ?? [])] });
  for await (const { contacts, reached } of batches) {
    const candidates = contacts.filter(belongs);
    yield { contacts: candidates.length > 0 ? await inSegment(candidates) : [], reached };
  }
}

const audienceOf = (
  listId: number,
  { audience_filters: definition }: Pick<CampaignItem, 'audience_filters'>,
): Audience => ({ listId, definition: definition ?? {} });

/** The recipients that a campaign's list and filters resolve to, in address order, in batches, strictly after an address. */
export async function* audience(
  teamId: number,
  campaign: Pick<CampaignItem, 'contact_list_id' | 'audience_filters'>,
  after?: string,
): AsyncGenerator<{ recipients: Recipient[]; reached: string }> {
  if (campaign.contact_list_id === null) return;
  const wanted = audienceOf(campaign.contact_list_id, campaign);
  const batches = resolve(teamId, wanted, await plan(teamId, wanted), { after, paths: ['id'], now: new Date() });
  for await (const { contacts, reached } of batches)
    yield { recipients: contacts.map(({ email, id }) => ({ email, contact_id: id })), reached };
}

/** Counts an audience exactly, with the first few addresses of it. */
export async function survey(teamId: number, wanted: Audience, few = 0): Promise<{ count: number; first: string[] }> {
  const { total, index } = await plan(teamId, wanted);
  const [now, eventual] = [new Date(), total > countedConsistently];
  const ranges = total > readInOne ? cuts.slice(1).map((before, i) => ({ after: cuts[i], before })) : [{}];
  const counted = await concurrently(ranges, rangesAtOnce, async (range) => {
    let count = 0;
    const first: string[] = [];
    for await (const { contacts } of resolve(teamId, wanted, { total, index }, { ...range, eventual, now })) {
      count += contacts.length;
      first.push(...contacts.slice(0, few - first.length).map(({ email }) => email));
    }
    return { count, first };
  });
  return {
    count: counted.reduce((sum, { count }) => sum + count, 0),
    first: counted.flatMap(({ first }) => first).slice(0, few),
  };
}

/** How many recipients a campaign would have now; stops counting once there are `enough`. */
export async function countAudience(teamId: number, campaign: CampaignItem, enough = Infinity): Promise<number> {
  if (campaign.contact_list_id === null) return 0;
  if (enough === Infinity) return (await survey(teamId, audienceOf(campaign.contact_list_id, campaign))).count;
  let count = 0;
  for await (const { recipients } of audience(teamId, campaign)) {
    count += recipients.length;
    if (count >= enough) break;
  }
  return count;
}
