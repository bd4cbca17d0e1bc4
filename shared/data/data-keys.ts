import { makeDataKey } from '../aws/data-keys.ts';
import { type Purpose, purposes } from '../domain/sealed.ts';
import { timestamp } from '../domain/time.ts';
import { type Key, keys } from './keys.ts';
import * as table from './table.ts';

/** The data keys of the installation, each wrapped by KMS. */
export interface DataKeysItem extends Key {
  wrapped: Record<Purpose, Uint8Array>;
  /** From then on every function that runs opens what is sealed. */
  seals_from: string;
}

/** Longer than a deployment, and than one is taken back after: the version before does not open what is sealed. */
const deploymentMs = 2 * 86_400_000;

let made = false;

/** Makes the installation's data keys, once; secrets are sealed two days after. */
export async function makeDataKeys(): Promise<void> {
  if (made) return;
  const key = keys.dataKeys();
  if (!(await table.get(key))) {
    const wrapped = await Promise.all(purposes.map(async (purpose) => [purpose, await makeDataKey(purpose)]));
    const seals_from = timestamp(Date.now() + deploymentMs);
    await table.putNew({ ...key, wrapped: Object.fromEntries(wrapped), seals_from });
  }
  made = true;
}

/** Before the first team: an installation that has none has no earlier version, and seals from the beginning. */
export async function sealFromFirstTeam(): Promise<void> {
  if (await table.get(keys.platformCounter())) return;
  await makeDataKeys();
  await table.writeIf({
    Key: keys.dataKeys(),
    UpdateExpression: 'SET seals_from = :now',
    ConditionExpression: 'seals_from > :now',
    ExpressionAttributeValues: { ':now': timestamp() },
  });
}
