import type { Actor } from '../../domain/actor.ts';
import { overrides, type SuppressionReason, suppressionReasons } from '../../domain/contacts/suppression.ts';
import { Unavailable } from '../../domain/errors.ts';
import { type Fields, type Stored, viewOf } from '../../domain/record.ts';
import { timestamp } from '../../domain/time.ts';
import { takeIds } from '../counters.ts';
import { type IndexKeys, type Key, keys, padId, partitions } from '../keys.ts';
import { neighbours } from '../neighbours.ts';
import { filtered, type Search, type Source } from '../paging.ts';
import { idSource } from '../sources.ts';
import * as table from '../table.ts';
import { addressTarget, auditWrite } from '../teams/audit-log.ts';
import type { PlatformSuppression } from './platform-suppressions.ts';

const maxAttempts = 20;

/** The fields of a suppression that the API shows. */
export const suppressionFields = {
  id: { kind: 'id' },
  email: { kind: 'address' },
  reason: { oneOf: suppressionReasons },
  source: { kind: 'text', optional: true },
  campaign_id: { kind: 'id', optional: true },
} as const satisfies Fields;

/** What is known of a suppression when it is made. */
export interface SuppressionInput extends Omit<Stored<typeof suppressionFields>, 'id'> {
  metadata?: Record<string, unknown>;
}

/** An address that the team does not mail; gsi1 has all of them by id, gsi2 those of one reason. */
export interface SuppressionItem extends Key, Required<IndexKeys>, SuppressionInput {
  id: number;
  created_at: string;
  updated_at: string;
}

/** Why an address may not be mailed, and whether for one team or for all. */
interface Suppressed {
  reason: SuppressionReason;
  level: 'team' | 'platform';
}

/** Reads the team's suppression of an address; undefined when it has none. */
export function find(teamId: number, email: string): Promise<SuppressionItem | undefined> {
  return table.get<SuppressionItem>(keys.suppression(teamId, email));
}

/** Suppresses an address for the team; an existing suppression keeps a reason that is stronger. */
export async function add(teamId: number, input: SuppressionInput): Promise<SuppressionItem> {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const before = await find(teamId, input.email);
    const written = before ? await replace(teamId, before, input) : await insert(teamId, input);
    if (written) return written;
  }
  throw new Unavailable();
}

async function insert(teamId: number, input: SuppressionInput): Promise<SuppressionItem | undefined> {
  const id = await takeIds(teamId, 'suppression');
  const at = timestamp();
  const item: SuppressionItem = {
    ...keys.suppression(teamId, input.email),
    gsi1pk: partitions.suppressions(teamId),
    gsi1sk: padId(id),
    gsi2pk: partitions.suppressionsFor(teamId, input.reason),
    gsi2sk: padId(id),
    id,
    ...input,
    created_at: at,
    updated_at: at,
  };
  return (await table.putNew(item)) ? item : undefined;
}

async function replace(
  teamId: number,
  before: SuppressionItem,
  input: SuppressionInput,
): Promise<SuppressionItem | undefined> {
  const cause = overrides(input.reason, before.reason) ? input : before;
  const { reason, source, campaign_id } = cause;
  const gsi2pk = partitions.suppressionsFor(teamId, reason);
  const after = { ...before, reason, source, campaign_id, gsi2pk, metadata: input.metadata ?? before.metadata };
  if (table.changes(before, after).UpdateExpression === '') return before;
  const read = { ':read': before.updated_at, ':id': before.id };
  const changed = { ...after, updated_at: timestamp() };
  return table.updateIf<SuppressionItem>(table.editOf(before, changed, 'updated_at = :read AND id = :id', read));
}

/** Lifts a suppression; the contact gets its status back first, so that nothing is mailed in between. */
export async function remove(teamId: number, email: string, reason: SuppressionReason, by: Actor): Promise<boolean> {
  const target = await addressTarget(teamId, email);
  const removal = {
    Key: keys.suppression(teamId, email),
    ConditionExpression: 'reason = :reason',
    ExpressionAttributeValues: { ':reason': reason },
  };
  return table.transactIf([
    { Delete: removal },
    auditWrite(teamId, by, 'suppression.removed', target, { before: { reason } }),
  ]);
}

/** So many suppressions cost less to read than a key of each address of an import, and one Query returns them. */
const fewSuppressions = 200;

/** Which of the emails are suppressed; a suppression for every team takes precedence over the team's. */
export async function batch(teamId: number, emails: readonly string[]): Promise<Map<string, Suppressed>> {
  const [ofTeam, ofPlatform] = await Promise.all([
    neighbours<SuppressionItem>(partitions.suppressions(teamId), emails, fewSuppressions),
    neighbours<PlatformSuppression & Key>(partitions.platformSuppressions, emails, fewSuppressions),
  ]);
  const suppressed = new Map<string, Suppressed>();
  for (const email of emails) {
    const [own, platform] = [ofTeam.get(email), ofPlatform.get(email)];
    if (platform) suppressed.set(email, { reason: platform.reason, level: 'platform' });
    else if (own) suppressed.set(email, { reason: own.reason, level: 'team' });
  }
  return suppressed;
}

/** The reasons for which the team suppresses the emails, in their order; undefined where it does not. */
export async function reasons(
  teamId: number,
  emails: readonly string[],
  options: { eventual?: boolean } = {},
): Promise<(SuppressionReason | undefined)[]> {
  const all = emails.length > fewSuppressions ? await allOfFew(teamId, options) : undefined;
  if (all) return emails.map((email) => all.get(email));
  const wanted = emails.map((email) => keys.suppression(teamId, email));
  const found = await table.batchGet<SuppressionItem>(wanted, options);
  return found.map((item) => item?.reason);
}

/** The reasons of all the team's suppressions, by address; undefined when they are many. */
async function allOfFew(
  teamId: number,
  { eventual }: { eventual?: boolean },
): Promise<ReadonlyMap<string, SuppressionReason> | undefined> {
  const own = table.within(partitions.suppressions(teamId));
  const read = { ...own, ConsistentRead: !eventual, Limit: fewSuppressions };
  const { items, next } = await table.query<SuppressionItem>(read);
  return next ? undefined : new Map(items.map(({ email, reason }) => [email, reason]));
}

/** The team's suppressions, newest first; `email` and `reason` must match where given. */
export function list(
  teamId: number,
  { email, reason }: { email?: string; reason?: SuppressionReason },
): Search<SuppressionItem> {
  const source =
    email !== undefined
      ? one(teamId, email)
      : reason === undefined
        ? idSource<SuppressionItem>(partitions.suppressions(teamId), 'gsi1')
        : idSource<SuppressionItem>(partitions.suppressionsFor(teamId, reason), 'gsi2');
  // The index may lag behind a change of the reason.
  return reason === undefined ? source : filtered(source, (item) => item.reason === reason);
}

function one(teamId: number, email: string): Source<SuppressionItem> {
  return async function* (_direction, from) {
    const item = from === undefined ? await find(teamId, email) : undefined;
    if (item) yield { position: item.gsi1sk, item };
  };
}

/** The suppression as the API shows it. */
export const view = viewOf(suppressionFields);
