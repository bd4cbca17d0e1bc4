/**
 * Makes a value at its first use and keeps it: a cold start does not wait for clients that it does not need. Marked as
 * pure, a client is left out of bundles that have its file and call none of its functions.
 */
export function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
