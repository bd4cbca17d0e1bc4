/** A time (now unless given) as the API and the table write it: ISO 8601 in UTC with milliseconds and `+00:00`. */
export function timestamp(at: Date | number = Date.now()): string {
  return new Date(at).toISOString().replace('Z', '+00:00');
}

/** A time (now unless given) in seconds since the epoch, as DynamoDB's TTL needs it. */
export function epochSeconds(at: Date | number = Date.now()): number {
  return Math.floor(new Date(at).getTime() / 1000);
}
