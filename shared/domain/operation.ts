/** A write that may run again: under an Idempotency-Key its start and memoized values survive crashes and retries. */
export interface Operation {
  /** Stable over re-executions of one idempotent request; random without an Idempotency-Key. */
  id: string;
  /** When the operation first began. */
  startedAt: Date;
  /** Returns what `make` returned the first time that this operation asked for `name`. */
  memoize<T>(name: string, make: () => T | Promise<T>): Promise<T>;
  /** Whether an execution before this one has memoized `name`. */
  remembers(name: string): boolean;
  /** Clears a memoized value, for work that surely had no effect: the next execution makes it anew. */
  clear(name: string): Promise<void>;
}
