import { partitions } from '../keys.ts';
import * as table from '../table.ts';
import { type ContactItem, live } from './contact-item.ts';
import * as contacts from './contacts.ts';

/** Contacts that are read together: about half the megabyte that one Query gives, so that each answer comes soon. */
const contactsAtOnce = 1_000;
/** Members that are looked up together. */
const membersAtOnce = 500;
/** A contact that is looked up costs as much as this many that are read in passing. */
const contactsPerLookup = 5;
/** Sorts after every address. */
const end = '￿';

/** An index that a walk can follow: one in email order that misses nobody. */
export type WalkIndex = Exclude<contacts.ContactIndex, { by: 'status' }>;

/** Which contacts a walk reads, and how much of each. */
interface Walk {
  index: WalkIndex;
  /** Strictly after this address. */
  after?: string;
  /** Strictly before this address. */
  before?: string;
  /** Paths of a contact's row, of which one that is read by email has no others. */
  paths: readonly string[];
  /** Takes half the reads, and may miss what was written within the last moment. */
  eventual?: boolean;
}

/** A batch of a walk: live contacts, and the last address that was looked at. */
interface Batch {
  contacts: ContactItem[];
  reached: string;
}

/** The cheapest of some indexes, each of which holds everybody wanted, for a team of `total` contacts. */
export function cheapest(total: number, indexes: readonly { index: WalkIndex; size: number }[]): WalkIndex {
  const [best] = [...indexes].sort((a, b) => a.size - b.size);
  return best && best.size * contactsPerLookup <= total ? best.index : { by: 'email' };
}

/** Reads live contacts in email order, a batch at a time, however many there are. */
export function walk(teamId: number, how: Walk): AsyncGenerator<Batch> {
  return how.index.by === 'email' ? everybody(teamId, how) : members(teamId, how.index, how);
}

async function* everybody(teamId: number, { after, before, paths, eventual }: Walk): AsyncGenerator<Batch> {
  const read = [...new Set(['sk', 'deleted_at', ...paths])];
  const names = [...new Set(read.flatMap((path) => path.split('.')))];
  let from: Record<string, unknown> | undefined;
  do {
    const { items, next } = await table.query<ContactItem>({
      KeyConditionExpression: 'pk = :pk AND #sk BETWEEN :low AND :high',
      ProjectionExpression: read.map((path) => `#${path.replaceAll('.', '.#')}`).join(', '),
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [`#${name}`, name])),
      ExpressionAttributeValues: {
        ':pk': partitions.contacts(teamId),
        ':low': after ?? ' ',
        ':high': before ?? end,
      },
      ExclusiveStartKey: from,
      ConsistentRead: !eventual,
      Limit: contactsAtOnce,
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
  const rows = contacts.members(teamId, index)('forward', after, membersAtOnce);
  let emails: string[] = [];
  const batch = async (): Promise<Batch> => {
    const [some, reached] = [emails, emails.at(-1)!];
    emails = [];
    return { contacts: (await contacts.batch(teamId, some)).flatMap((contact) => contact ?? []), reached };
  };
  for await (const { position } of rows) {
    if (position >= before) break;
    if (emails.push(position) === membersAtOnce) yield await batch();
  }
  if (emails.length > 0) yield await batch();
}
