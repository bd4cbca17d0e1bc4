/** A client of the SDK without its log, for which it would copy every request and answer although nobody reads it. */
export function unlogged<C extends { middlewareStack: { remove(name: string): boolean } }>(client: C): C {
  client.middlewareStack.remove('loggerMiddleware');
  return client;
}
