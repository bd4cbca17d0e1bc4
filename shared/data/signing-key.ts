import { randomBytes } from 'node:crypto';
import { timestamp } from '../domain/time.ts';
import { type Key, keys } from './keys.ts';
import * as table from './table.ts';

interface SigningKeyItem extends Key {
  /** The first key: 32 bytes in base64. */
  secret: string;
  /** Those that followed, oldest first, with the time from which each signs. */
  later?: { secret: string; signs_from: string }[];
}

/** For so long a process keeps what it has read. */
const knownMs = 5 * 60_000;
/** After this long every process knows a new key. */
const spreadMs = 2 * knownMs;

let known: { item: Promise<SigningKeyItem>; at: number } | undefined;

const bytes = (secret: string): Buffer => Buffer.from(secret, 'base64');
const fresh = (): string => randomBytes(32).toString('base64');

/** The key that signs new links: made once, kept in the table (encrypted at rest), the same for every function. */
export async function signingKey(): Promise<Buffer> {
  const { secret, later = [] } = await current();
  return bytes(later.findLast(({ signs_from }) => signs_from <= timestamp())?.secret ?? secret);
}

/** The first key, which no rotation changes: for hashes under which something is found again. */
export async function firstSigningKey(): Promise<Buffer> {
  return bytes((await current()).secret);
}

/** What `open` makes of a token with the key that signed it, whichever of ours that is; undefined when none did. */
export async function withSigningKeys<T>(
  open: (key: Buffer) => T | Promise<T | undefined> | undefined,
): Promise<T | undefined> {
  const { secret, later = [] } = await current();
  for (const each of [...later.map((key) => key.secret).reverse(), secret]) {
    const opened = await open(bytes(each));
    if (opened !== undefined) return opened;
  }
  return undefined;
}

/** Makes a new key, which signs as soon as every process knows it; not another one while one is about to. */
export async function rotateSigningKey(): Promise<{ keys: number; signs_from: string }> {
  const { pk, sk, later = [] } = await load();
  const last = later.at(-1);
  if (last && last.signs_from > timestamp()) return { keys: later.length + 1, signs_from: last.signs_from };
  const signs_from = timestamp(Date.now() + spreadMs);
  const added = await table.writeIf({
    Key: { pk, sk },
    UpdateExpression: 'SET later = list_append(if_not_exists(later, :none), :added)',
    ConditionExpression: last ? 'size(later) = :count' : 'attribute_not_exists(later)',
    ExpressionAttributeValues: {
      ':none': [],
      ':added': [{ secret: fresh(), signs_from }],
      ...(last && { ':count': later.length }),
    },
  });
  return added ? { keys: later.length + 2, signs_from } : rotateSigningKey();
}

function current(): Promise<SigningKeyItem> {
  const now = Date.now();
  if (known && now - known.at < knownMs) return known.item;
  const item = load();
  known = { item, at: now };
  item.catch(() => {
    if (known?.item === item) known = undefined;
  });
  return item;
}

async function load(): Promise<SigningKeyItem> {
  const key = keys.signingKey();
  const existing = await table.get<SigningKeyItem>(key);
  if (existing) return existing;
  const made = { ...key, secret: fresh() };
  return (await table.putNew(made)) ? made : load();
}
