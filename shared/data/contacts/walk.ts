import { partitions } from '../keys.ts';
import * as table from '../table.ts';
import { type ContactItem, live } from './contact-item.ts';
import * as contacts from './contacts.ts';

/** Contacts per Query: about half of the megabyte that it may return, so that each answer comes soon. */
const contactsPerQuery = 1_000;
/** Members that are looked up together. */
const membersPerBatch = 500;
/** A contact that is looked up by key costs as much as this many that a Query returns. */
const contactsPerLookup = 5;
/** Sorts after every address. */
const end = '￿';

/** An index that a walk can follow: it is in email order and misses no contact. */
export type WalkIndex = Exclude<contacts.ContactIndex, { by: 'status' }>;

/** Which contacts a walk reads, and how much of each. */
interface Walk {
  index: WalkIndex;
  /** Strictly after this address. */
  after?: string;
  /** Strictly before this address. */
  before?: string;
  /** The attributes that a walk by email reads; other walks read whole rows. */
  paths: readonly string[];
  /** Costs half as much, and may miss the latest writes. */
  eventual?: boolean;
}

/** A batch of a walk: live contacts, and the last address that was read. */
interface Batch {
  contacts: ContactItem[];
  reached: string;
}

/** The cheapest of some indexes that have all wanted contacts, for a team of `total` contacts. */
export function cheapest(total: number, indexes: readonly { index: WalkIndex; size: number }[]): WalkIndex {
  const [best] = [...indexes].sort((a, b) => a.size - b.size);
  return best && best.size * contactsPerLookup <= total ? best.index : { by: 'email' };
}

/** Reads live contacts in email order, a batch at a time. */
export function walk(teamId: number, how: Walk): AsyncGenerator<Batch> {
  return how.index.by === 'email' ? allContacts(teamId, how) : members(teamId, how.index, how);
}

async function* allContacts(teamId: number, { after, before, paths, eventual }: Walk): AsyncGenerator<Batch> {
  const read = [...new Set(['sk', 'deleted_at', ...paths])];
  let from: Record<string, unknown> | undefined;
  do {
    const { items, next } = await table.query<ContactItem>({
      ...table.within(partitions.contacts(teamId), { between: [after ?? ' ', before ?? end] }),
      ProjectionExpression: read.map((path) => `#${path.replaceAll('.', '.#')}`).join(', '),
      ExclusiveStartKey: from,
      ConsistentRead: !eventual,
      Limit: contactsPerQuery,
    });
    const inside = items.filter((item) => item.sk !== after && item.sk !== before && live(item));
    const reached = items.at(-1)?.sk;
    if (reached !== undefined) yield { contacts: inside, reached };
    from = next;
  } while (from);
}

async function* members(
  teamId: number,
  index: Exclude<WalkIndex, { by: 'email' }>,
  { after, before = end }: Walk,
): AsyncGenerator<Batch> {
  const rows = contacts.members(teamId, index)('forward', after, membersPerBatch);
  let emails: string[] = [];
  const batch = async (): Promise<Batch> => {
    const [some, reached] = [emails, emails.at(-1)!];
    emails = [];
    return { contacts: (await contacts.batch(teamId, some)).flatMap((contact) => contact ?? []), reached };
  };
  for await (const { position } of rows) {
    if (position >= before) break;
    if (emails.push(position) === membersPerBatch) yield await batch();
  }
  if (emails.length > 0) yield await batch();
}
