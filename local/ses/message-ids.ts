/** A call has at most 50 messages. */
const CALL_SIZE = 64;
const MESSAGE_ID = /^0100[0-9a-f]{12}-([0-9a-f-]{36})-(\d{6})$/;

/** What of a call makes its messages' ids. */
interface CallIdentity {
  uuid: string;
  /** Milliseconds since the epoch. */
  acceptedAt: number;
}

/** The number of a call's message in the database. */
export const messageNumber = (call: number, index: number) => call * CALL_SIZE + index;

/** The call of a message and its place in it, from its number. */
export const placeOf = (message: number) => ({ call: Math.floor(message / CALL_SIZE), index: message % CALL_SIZE });

/** The MessageId that SES answers for a call's message. */
export function messageId({ uuid, acceptedAt }: CallIdentity, index: number): string {
  return `0100${acceptedAt.toString(16).padStart(12, '0')}-${uuid}-${String(index).padStart(6, '0')}`;
}

/** The call's uuid and the place in it, from a MessageId; undefined for any other text. */
export function parseMessageId(id: string): { uuid: string; index: number } | undefined {
  const [, uuid, index] = MESSAGE_ID.exec(id) ?? [];
  return uuid === undefined ? undefined : { uuid, index: Number(index) };
}
