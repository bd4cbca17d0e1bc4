/** Runs `work` over all items, at most `limit` at once; results in the items' order. The first failure ends it. */
export async function concurrently<A, B>(
  items: readonly A[],
  limit: number,
  work: (item: A) => Promise<B>,
): Promise<B[]> {
  const results: B[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
