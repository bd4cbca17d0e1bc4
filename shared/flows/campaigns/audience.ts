import * as imports from '../../data/campaigns/audience-imports.ts';
import * as rows from '../../data/campaigns/audience-rows.ts';
import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import type { Recipient } from '../../data/campaigns/recipients.ts';
import * as contacts from '../../data/contacts/contacts.ts';
import * as lists from '../../data/contacts/lists.ts';
import { cheapest, type WalkIndex, walk } from '../../data/contacts/walk.ts';
import { lastId } from '../../data/counters.ts';
import { concurrently } from '../../domain/concurrently.ts';
import { complete, pathsOf, type SegmentDefinition } from '../../domain/contacts/segments.ts';
import { Unavailable } from '../../domain/errors.ts';
import { existingTags, type SegmentFilter, segmentFilter } from './segment-filter.ts';

/** The active contacts of a list, or of the whole team, that match a definition. */
interface Audience {
  listId?: number;
  definition: SegmentDefinition;
}

/** How an audience is read: by the cheapest index for a team of about `total` contacts. */
interface Plan extends Audience {
  total: number;
  index: WalkIndex;
  inSegment: SegmentFilter;
}

/** A consistent count of more contacts is too slow (docs/decisions/segments.md). */
const countedConsistently = 100_000;
const readInOne = 1_000;
/** A count gives up after this, before API Gateway does at 29 s. */
const countMilliseconds = 25_000;
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
  return { listId, definition, total, index, inSegment: segmentFilter(teamId, definition, new Date()) };
}

/** Reads an audience between two addresses, in order, in batches; `paths` are the contact attributes wanted. */
async function* resolve(
  teamId: number,
  { listId, definition, index, inSegment }: Plan,
  range: { after?: string; before?: string; paths?: readonly string[]; eventual?: boolean },
): AsyncGenerator<{ contacts: contacts.ContactItem[]; reached: string }> {
  const belongs = (contact: contacts.ContactItem) =>
    contact.status === 'active' && (listId === undefined || contact.list_ids.includes(listId));
  const needed = ['email', 'status', ...(listId === undefined ? [] : ['list_ids']), ...pathsOf(definition)];
  const batches = walk(teamId, { ...range, index, paths: [...needed, ...(range.paths ?? [])] });
  for await (const { contacts: batch, reached } of batches) {
    const candidates = batch.filter(belongs);
    yield { contacts: candidates.length > 0 ? await inSegment(candidates) : [], reached };
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
  for await (const emails of rows.addresses(teamId, campaignId, { first_row: found.first_row, after })) {
    const stored = await contacts.batchStored(teamId, emails);
    const recipients = emails.flatMap((email, index): Recipient[] => {
      const contact = stored[index];
      if (contact && contact.status !== 'active') return [];
      return [{ email, contact_id: contact && !contact.deleted_at ? contact.id : 0 }];
    });
    yield { recipients, reached: emails.at(-1)! };
  }
}

/** Counts an audience up to `enough`, with its first `few` addresses; throws 503 when it takes too long. */
async function survey(
  teamId: number,
  wanted: Audience,
  { few = 0, enough = Number.POSITIVE_INFINITY } = {},
): Promise<{ count: number; first: string[] }> {
  const plan = await planOf(teamId, wanted);
  const deadline = Date.now() + countMilliseconds;
  const eventual = plan.total > countedConsistently;
  const ranges = plan.total > readInOne ? cuts.slice(1).map((before, i) => ({ after: cuts[i], before })) : [{}];
  let count = 0;
  const firsts = await concurrently(ranges, rangesAtOnce, async (range) => {
    const first: string[] = [];
    if (count >= enough) return first;
    for await (const { contacts: batch } of resolve(teamId, plan, { ...range, eventual })) {
      count += batch.length;
      first.push(...batch.slice(0, few - first.length).map(({ email }) => email));
      if (count >= enough) break;
      if (Date.now() > deadline) throw new Unavailable('Counting so many contacts takes too long.');
    }
    return first;
  });
  return { count, first: firsts.flat().slice(0, few) };
}

/** How many recipients a campaign would have now; stops counting at `enough`. */
export async function countAudience(teamId: number, campaign: CampaignItem, enough?: number): Promise<number> {
  if (campaign.contact_list_id === null) return 0;
  return (await survey(teamId, audienceOf(campaign.contact_list_id, campaign), { enough })).count;
}

/** A segment's preview: its number of active contacts, complete definition and first ten contacts. */
export async function previewSegment(teamId: number, definition: SegmentDefinition) {
  const { count, first } = await survey(teamId, { definition }, { few: sampleSize });
  const sample = (await contacts.batch(teamId, first)).flatMap((contact) => (contact ? contacts.view(contact) : []));
  return { count, filters: complete(definition), sample };
}
