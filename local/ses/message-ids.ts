import type { Call } from './records.ts';

/** A call has at most 50 messages. */
const CALL_SIZE = 64;
const MESSAGE_ID = /^0100[0-9a-f]{12}-([0-9a-f-]{36})-(\d{6})$/;

/** The number of a call's message in the database. */
export const messageNumber = (call: number, index: number) => call * CALL_SIZE + index;

/** The call of a message and the message's index in it, from its number. */
export const placeOf = (message: number) => ({ call: Math.floor(message / CALL_SIZE), index: message % CALL_SIZE });

/** The MessageId in SES's answer for a message of a call. */
export function messageId({ uuid, acceptedAt }: Pick<Call, 'uuid' | 'acceptedAt'>, index: number): string {
  return `0100${acceptedAt.toString(16).padStart(12, '0')}-${uuid}-${String(index).padStart(6, '0')}`;
}

/** The call's uuid and the message's index in it, from a MessageId; undefined for other text. */
export function parseMessageId(id: string): { uuid: string; index: number } | undefined {
  const [, uuid, index] = MESSAGE_ID.exec(id) ?? [];
  return uuid === undefined ? undefined : { uuid, index: Number(index) };
}
