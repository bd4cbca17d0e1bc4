/** What is counted of the service messages to one address: a confirmation, a place, or the invitation of a waitlist. */
export type ServiceMail = { kind: 'confirmation' | 'place' } | { kind: 'invitation'; waitlist_id: number };

const hours = 3_600_000;
const days = 24 * hours;

/** What has limits of its own: a kind of message, or the invitations of all waitlists together. */
type Limited = ServiceMail['kind'] | 'invitations';

/** Under which names a message is counted, and with which limits: deleting a waitlist gives its owner no more. */
export const countersOf = (mail: ServiceMail): { name: string; limits: Limited }[] =>
  mail.kind === 'invitation'
    ? [
        { name: `invitation.${mail.waitlist_id}`, limits: 'invitation' },
        { name: 'invitation', limits: 'invitations' },
      ]
    : [{ name: mail.kind, limits: mail.kind }];

/** At most so many messages of a kind within so many milliseconds, per team and address. */
const limits: Record<Limited, readonly { messages: number; within: number }[]> = {
  confirmation: [
    { messages: 1, within: days },
    { messages: 3, within: 31 * days },
  ],
  place: [
    { messages: 1, within: days },
    { messages: 3, within: 31 * days },
  ],
  // For as long as it is remembered: the count has a lifetime as every trace of an address that was erased.
  invitation: [{ messages: 1, within: 365 * days }],
  invitations: [
    { messages: 3, within: days },
    { messages: 10, within: 31 * days },
  ],
};

/** The times that still count with one more, now, and when the last of them is forgotten; undefined over a limit. */
export function countedWith(
  kind: Limited,
  sent: readonly number[],
  now: number,
): { times: number[]; until: number } | undefined {
  const since = (within: number) => sent.filter((time) => time > now - within);
  if (limits[kind].some(({ messages, within }) => since(within).length >= messages)) return undefined;
  const longest = Math.max(...limits[kind].map(({ within }) => within));
  return { times: [...since(longest), now], until: now + longest };
}
