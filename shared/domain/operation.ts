/** The same write, however often it runs: under an Idempotency-Key its time and remembered values survive a crash and a retry. */
export interface Operation {
  /** Stable over re-executions of one idempotent request; random without an Idempotency-Key. */
  id: string;
  /** When the operation was first begun. */
  startedAt: Date;
  /** Returns what `make` gave the first time this operation asked for `name`. */
  memoize<T>(name: string, make: () => T | Promise<T>): Promise<T>;
  /** Lets the next execution make it anew: what was begun under the name surely had no effect. */
  clear(name: string): Promise<void>;
}
