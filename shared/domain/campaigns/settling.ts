/** How long a campaign with unknown recipients stays open for SES's events to settle them, in seconds. */
export const openForUnknownSeconds = 15 * 60;

/** Milliseconds after which SES has reported on every message that it accepted (MaxDeliverySeconds in lib/mail.ts). */
export const settledMs = 5 * 60 * 60_000;
