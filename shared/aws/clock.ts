/** The moment now, as every part of the system reads it. */
export function now(): Date {
  return new Date();
}

/** A timestamp as the API and the table write it: ISO 8601 in UTC with milliseconds and the offset `+00:00`. */
export function timestamp(at: Date | number = now()): string {
  return new Date(at).toISOString().replace('Z', '+00:00');
}

/** Seconds since the epoch, as DynamoDB's TTL wants them. */
export function epochSeconds(at: Date | number = now()): number {
  return Math.floor(new Date(at).getTime() / 1000);
}
