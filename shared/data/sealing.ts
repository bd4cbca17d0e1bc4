import { unwrapDataKey } from '../aws/data-keys.ts';
import { isSealed, openWith, type Purpose, type StoredSecret, sealWith } from '../domain/sealed.ts';
import { timestamp } from '../domain/time.ts';
import type { DataKeysItem } from './data-keys.ts';
import { keys } from './keys.ts';
import * as table from './table.ts';

/** Seals the secrets of a purpose for a team's record, and opens them for that record alone. */
export interface Sealing {
  /** The secret as it is to be stored: as it is while functions may run that cannot open it. */
  seal(teamId: number, record: string, secret: string): Promise<StoredSecret>;
  /** The secret, also one that an earlier version stored; throws when it is another record's. */
  open(teamId: number, record: string, stored: StoredSecret): Promise<string>;
}

/** The sealing of a purpose; needs the right to unwrap its data key, which a process does once. */
export function sealingFor(purpose: Purpose): Sealing {
  let known: Promise<Uint8Array> | undefined;
  const dataKey = ({ wrapped }: DataKeysItem) => {
    known ??= unwrapDataKey(purpose, wrapped[purpose]).catch((error) => {
      known = undefined;
      throw error;
    });
    return known;
  };
  return {
    async seal(teamId, record, secret) {
      const item = await dataKeys();
      if (!item || !isSealing(item)) return secret;
      return sealWith(await dataKey(item), ownerOf(teamId, record), secret);
    },
    async open(teamId, record, stored) {
      if (typeof stored === 'string') return stored;
      const item = await dataKeys();
      if (!item || !isSealed(stored)) throw new Error(`A secret of ${record} cannot be opened.`);
      return openWith(await dataKey(item), ownerOf(teamId, record), stored);
    },
  };
}

const ownerOf = (teamId: number, record: string): string => `${teamId} ${record}`;

/** Once secrets are sealed the row does not change. */
let found: DataKeysItem | undefined;

async function dataKeys(): Promise<DataKeysItem | undefined> {
  if (!found || !isSealing(found)) found = await table.get<DataKeysItem>(keys.dataKeys());
  return found;
}

const isSealing = ({ seals_from }: DataKeysItem): boolean => seals_from <= timestamp();
