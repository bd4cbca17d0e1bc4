/** A time (now unless given) as the API and the table write it: ISO 8601 in UTC with milliseconds and `+00:00`. */
export const timestamp = (at: Date | number = Date.now()): string => new Date(at).toISOString().replace('Z', '+00:00');

/** A time (now unless given) in seconds since the epoch, as DynamoDB's TTL needs it. */
export const epochSeconds = (at: Date | number = Date.now()): number => Math.floor(new Date(at).getTime() / 1000);
