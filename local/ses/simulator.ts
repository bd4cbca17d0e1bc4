/** What can become of a message; `Suppression` is published as a Bounce of its own kind. */
export type EventKind =
  | 'Send'
  | 'Delivery'
  | 'Bounce'
  | 'Suppression'
  | 'Complaint'
  | 'Rendering Failure'
  | 'Reject'
  | 'Open'
  | 'Click';

const DELIVERED: readonly EventKind[] = ['Delivery'];
const SIMULATOR = /^([^+@]+)(?:\+[^@]*)?@simulator\.amazonses\.com$/;
const SCENARIOS: Readonly<Record<string, readonly EventKind[]>> = {
  success: DELIVERED,
  bounce: ['Bounce'],
  ooto: DELIVERED,
  complaint: ['Delivery', 'Complaint'],
  suppressionlist: ['Suppression'],
};

/** True for an address of AWS's mailbox simulator, whose mail does not count against the daily quota. */
export const isSimulator = (address: string): boolean => address.endsWith('@simulator.amazonses.com');

/** What follows the acceptance of a message to this (lower-case) address, in order. */
export function outcomeOf(address: string): readonly EventKind[] {
  if (!isSimulator(address)) return DELIVERED;
  const mailbox = SIMULATOR.exec(address)?.[1] ?? '';
  return Object.hasOwn(SCENARIOS, mailbox) ? SCENARIOS[mailbox]! : SCENARIOS.bounce!;
}
