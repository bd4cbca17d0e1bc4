/** Makes a value at its first use and keeps it: a cold start does not wait for clients that it does not need. */
export function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
