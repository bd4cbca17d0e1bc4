import type { StoredSecret } from '../../domain/sealed.ts';
import { rotationOverlapMs } from '../../domain/webhooks/signatures.ts';
import { sealingFor } from '../sealing.ts';
import { updateIf, type WebhookItem } from './endpoints.ts';

const sealing = /* @__PURE__ */ sealingFor('webhooks');
const record = (id: number): string => `webhook ${id}`;

/** An endpoint's secret as it is to be stored. */
export const sealSecret = (teamId: number, id: number, secret: string): Promise<StoredSecret> =>
  sealing.seal(teamId, record(id), secret);

/** An endpoint's secret, of what is stored. */
export const openSecret = (teamId: number, id: number, stored: StoredSecret): Promise<string> =>
  sealing.open(teamId, record(id), stored);

/** The secrets that sign now, the new one first; seals those that an earlier version stored. */
export async function secretsOf(teamId: number, endpoint: WebhookItem): Promise<string[]> {
  const { id, secret, previous_secret, rotated_at } = endpoint;
  for (const name of ['secret', 'previous_secret'] as const) await sealStored(teamId, endpoint, name);
  const overlaps = rotated_at !== undefined && Date.now() - Date.parse(rotated_at) < rotationOverlapMs;
  const signing = overlaps && previous_secret !== undefined ? [secret, previous_secret] : [secret];
  return Promise.all(signing.map((stored) => openSecret(teamId, id, stored)));
}

async function sealStored(teamId: number, endpoint: WebhookItem, name: 'secret' | 'previous_secret'): Promise<void> {
  const text = endpoint[name];
  if (typeof text !== 'string') return;
  const sealed = await sealSecret(teamId, endpoint.id, text);
  if (sealed === text) return;
  const values = { ':sealed': sealed, ':text': text };
  const update = { UpdateExpression: `SET ${name} = :sealed`, ExpressionAttributeValues: values };
  await updateIf(teamId, endpoint.id, update, `${name} = :text`);
}
