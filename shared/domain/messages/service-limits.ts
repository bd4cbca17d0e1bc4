/** What is counted of the service messages to one address: a confirmation, a place, or the invitation of a waitlist. */
export type ServiceMail = { kind: 'confirmation' | 'place' } | { kind: 'invitation'; waitlist_id: number };

const hours = 3_600_000;
const days = 24 * hours;

/** At most so many messages of a kind within so many milliseconds, per team and address. */
const limits: Record<ServiceMail['kind'], readonly { messages: number; within: number }[]> = {
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
};

/** The times that still count with one more, now, and when the last of them is forgotten; undefined over a limit. */
export function countedWith(
  kind: ServiceMail['kind'],
  sent: readonly number[],
  now: number,
): { times: number[]; until: number } | undefined {
  const since = (within: number) => sent.filter((time) => time > now - within);
  if (limits[kind].some(({ messages, within }) => since(within).length >= messages)) return undefined;
  const longest = Math.max(...limits[kind].map(({ within }) => within));
  return { times: [...since(longest), now], until: now + longest };
}
