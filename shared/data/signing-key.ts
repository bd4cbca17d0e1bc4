import { randomBytes } from 'node:crypto';
import { keysTaken, type SigningKeys, signerAt, type TokenUse } from '../domain/signing-keys.ts';
import { timestamp } from '../domain/time.ts';
import { type Key, keys } from './keys.ts';
import * as table from './table.ts';

type SigningKeyItem = Key & SigningKeys;

/** For so long a process keeps what it has read. */
const knownMs = 5 * 60_000;
/** After this long every process knows a new key. */
const spreadMs = 2 * knownMs;

let known: { item: Promise<SigningKeyItem>; at: number } | undefined;

const bytes = (secret: string): Buffer => Buffer.from(secret, 'base64');
const fresh = (): string => randomBytes(32).toString('base64');

/** The key that signs new links: made once, kept in the table (encrypted at rest), the same for every function. */
export async function signingKey(): Promise<Buffer> {
  return bytes(signerAt(await current(), timestamp()));
}

/** The first key, which no rotation changes: for hashes under which something is found again. */
export async function firstSigningKey(): Promise<Buffer> {
  return bytes((await current()).secret);
}

/**
 * What `open` makes of a token with the key that signed it, whichever of ours that is; undefined when none did, or one
 * that is retired for too long for what the token is for.
 */
export async function withSigningKeys<T>(
  use: TokenUse,
  open: (key: Buffer) => T | Promise<T | undefined> | undefined,
): Promise<T | undefined> {
  for (const secret of keysTaken(await current(), use, new Date())) {
    const opened = await open(bytes(secret));
    if (opened !== undefined) return opened;
  }
  return undefined;
}

/** Makes a new key with the row of the audit log, which signs as soon as all know it; none while one is about to. */
export async function rotateSigningKey(row: table.TransactionWrite): Promise<{ keys: number; signs_from: string }> {
  const { pk, sk, later = [] } = await load();
  const last = later.at(-1);
  if (last && last.signs_from > timestamp()) return newest(later);
  const added = { secret: fresh(), signs_from: timestamp(Date.now() + spreadMs) };
  const update = {
    Key: { pk, sk },
    UpdateExpression: 'SET later = list_append(if_not_exists(later, :none), :added)',
    ConditionExpression: last ? 'size(later) = :count' : 'attribute_not_exists(later)',
    ExpressionAttributeValues: { ':none': [], ':added': [added], ...(last && { ':count': later.length }) },
  };
  const isAdded = await table.transactIf([{ Update: update }, row]);
  // Otherwise somebody else has made one, or this command has before.
  return newest(isAdded ? [...later, added] : (await load()).later!);
}

const newest = (later: NonNullable<SigningKeys['later']>) => ({
  keys: later.length + 1,
  signs_from: later.at(-1)!.signs_from,
});

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
