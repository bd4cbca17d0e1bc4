import { config } from '../aws/config.ts';
import { makeDataKey } from '../aws/data-keys.ts';
import { type Purpose, purposes } from '../domain/sealed.ts';
import { timestamp } from '../domain/time.ts';
import { type Key, keys } from './keys.ts';
import * as table from './table.ts';

/** The data keys of the installation, each wrapped by KMS. */
export interface DataKeysItem extends Key {
  wrapped: Record<Purpose, Uint8Array>;
  /** The key that has wrapped them. */
  key_arn: string;
  /** From then on every function that runs opens what is sealed. */
  seals_from: string;
}

/** Longer than a deployment, and than one is taken back after: the version before does not open what is sealed. */
const deploymentMs = 2 * 86_400_000;

let made = false;

/**
 * Makes the installation's data keys, once; secrets are sealed two days after. Until then they are made anew where the
 * stage has got another key: its stack was taken back and deployed again. Throws when secrets are sealed already.
 */
export async function makeDataKeys(): Promise<void> {
  if (made) return;
  const Key = keys.dataKeys();
  const { secretsKeyArn } = config;
  const before = await table.get<DataKeysItem>(Key);
  if (before?.key_arn !== secretsKeyArn) {
    if (before && before.seals_from <= timestamp())
      throw new Error(`Secrets are sealed with data keys that ${before.key_arn} has wrapped, not ${secretsKeyArn}.`);
    const wrapped = await Promise.all(purposes.map(async (purpose) => [purpose, await makeDataKey(purpose)]));
    await table.writeIf({
      Key,
      UpdateExpression: 'SET #wrapped = :wrapped, key_arn = :arn, seals_from = :from',
      ConditionExpression: 'attribute_not_exists(pk) OR (key_arn <> :arn AND seals_from > :now)',
      ExpressionAttributeValues: {
        ':wrapped': Object.fromEntries(wrapped),
        ':arn': secretsKeyArn,
        ':from': timestamp(Date.now() + deploymentMs),
        ':now': timestamp(),
      },
    });
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
