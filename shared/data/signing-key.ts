import { randomBytes } from 'node:crypto';
import type { StoredSecret } from '../domain/sealed.ts';
import { keysTaken, type SigningKeys, signerAt, type TokenUse } from '../domain/signing-keys.ts';
import { timestamp } from '../domain/time.ts';
import { type Key, keys } from './keys.ts';
import { sealingFor } from './sealing.ts';
import * as table from './table.ts';

type SigningKeyItem = Key & SigningKeys<StoredSecret>;

/** For so long a process keeps what it has read. */
const knownMs = 5 * 60_000;
/** After this long every process knows a new key. */
const spreadMs = 2 * knownMs;

let known: { item: Promise<SigningKeys>; at: number } | undefined;

const sealing = /* @__PURE__ */ sealingFor('signing');

const bytes = (secret: string): Buffer => Buffer.from(secret, 'base64');
const fresh = (): string => randomBytes(32).toString('base64');

/** The key that signs new links: made once, kept sealed in the table, the same for every function. */
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
  const { later = [] } = await load();
  const last = later.at(-1);
  if (last && last.signs_from > timestamp()) return newest(later);
  const added = { secret: await seal(fresh()), signs_from: timestamp(Date.now() + spreadMs) };
  const update = {
    Key: keys.signingKey(),
    UpdateExpression: 'SET later = list_append(if_not_exists(later, :none), :added)',
    ConditionExpression: last ? 'size(later) = :count' : 'attribute_not_exists(later)',
    ExpressionAttributeValues: { ':none': [], ':added': [added], ...(last && { ':count': later.length }) },
  };
  const isAdded = await table.transactIf([{ Update: update }, row]);
  // Otherwise somebody else has made one, or this command has before.
  return newest(isAdded ? [...later, added] : (await load()).later!);
}

const newest = (later: readonly { signs_from: string }[]) => ({
  keys: later.length + 1,
  signs_from: later.at(-1)!.signs_from,
});

function current(): Promise<SigningKeys> {
  const now = Date.now();
  if (known && now - known.at < knownMs) return known.item;
  const item = load();
  known = { item, at: now };
  item.catch(() => {
    if (known?.item === item) known = undefined;
  });
  return item;
}

async function load(): Promise<SigningKeys> {
  const key = keys.signingKey();
  const existing = await table.get<SigningKeyItem>(key);
  if (!existing) {
    await table.putNew({ ...key, secret: await seal(fresh()) });
    return load();
  }
  await sealStored(existing);
  return eachSecret(existing, (stored) => sealing.open(0, 'signing_key', stored));
}

/** The keys are the platform's, which is no team. */
const seal = (secret: string): Promise<StoredSecret> => sealing.seal(0, 'signing_key', secret);

async function eachSecret<From, To>({ secret, later }: SigningKeys<From>, change: (from: From) => Promise<To>) {
  const changed = later?.map(async (key) => ({ ...key, secret: await change(key.secret) }));
  return { secret: await change(secret), ...(changed && { later: await Promise.all(changed) }) };
}

/** Seals the keys that an earlier version stored, unless another process has changed them. */
async function sealStored(item: SigningKeyItem): Promise<void> {
  let sealed = 0;
  const { secret, later } = await eachSecret(item, async (stored) => {
    const next = typeof stored === 'string' ? await seal(stored) : stored;
    if (next !== stored) sealed++;
    return next;
  });
  if (sealed === 0) return;
  await table.writeIf({
    Key: keys.signingKey(),
    UpdateExpression: `SET secret = :secret${later ? ', later = :later' : ''}`,
    ConditionExpression: `secret = :known AND ${later ? 'later = :known_later' : 'attribute_not_exists(later)'}`,
    ExpressionAttributeValues: {
      ':secret': secret,
      ':known': item.secret,
      ...(later && { ':later': later, ':known_later': item.later }),
    },
  });
}
