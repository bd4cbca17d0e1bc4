import { type Key, keys } from '../keys.ts';
import * as table from '../table.ts';

/** Who sends the canary's messages, and the last of them. */
export interface CanaryItem extends Key {
  team_id: number;
  from_email: string;
  key_id: number;
  /** The API key itself: it may send messages of its team and read their events, nothing else. */
  api_key: string;
  sent?: CanaryMessage;
}

/** A message of the canary: its address is its own, so that its events are found by it. */
export interface CanaryMessage {
  to: string;
  at: string;
}

/** Reads the canary; undefined until an operator has set one. */
export const find = (): Promise<CanaryItem | undefined> => table.get<CanaryItem>(keys.canary());

/** Sets the canary, which has sent nothing yet. */
export const set = (canary: Omit<CanaryItem, keyof Key | 'sent'>): Promise<void> =>
  table.put({ Item: { ...keys.canary(), ...canary } });

/** Notes the message that is about to be sent; does nothing when another canary has been set since. */
export async function note({ key_id }: CanaryItem, sent: CanaryMessage): Promise<void> {
  await table.writeIf({
    Key: keys.canary(),
    UpdateExpression: 'SET sent = :sent',
    ConditionExpression: 'key_id = :key',
    ExpressionAttributeValues: { ':sent': sent, ':key': key_id },
  });
}
