import { setTimeout as pause } from 'node:timers/promises';

/** Runs `work` over all items, at most `limit` at once; results in the items' order. The first failure ends it. */
export async function concurrently<A, B>(
  items: readonly A[],
  limit: number,
  work: (item: A, index: number) => Promise<B>,
): Promise<B[]> {
  const results: B[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]!, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

/** Whether work finishes within a time; what takes longer is left to itself, also when it fails. */
export function finishedWithin(ms: number, work: Promise<unknown>): Promise<boolean> {
  return Promise.race([work.then(() => true), pause(Math.max(0, ms), false, { ref: false })]);
}
