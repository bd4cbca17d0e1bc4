/** The events of a message; `Suppression` is published as a Bounce with the subtype Suppressed. */
export type EventKind =
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

/** Whether an address is one of AWS's mailbox simulator, which does not count against the daily quota. */
export const isSimulator = (address: string): boolean => address.endsWith('@simulator.amazonses.com');

/** The events after a message to this lower-case address was accepted, in order. */
export function outcomeOf(address: string): readonly EventKind[] {
  if (!isSimulator(address)) return DELIVERED;
  const mailbox = SIMULATOR.exec(address)?.[1] ?? '';
  return Object.hasOwn(SCENARIOS, mailbox) ? SCENARIOS[mailbox]! : SCENARIOS.bounce!;
}
