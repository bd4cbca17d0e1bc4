import type { BenchStack } from './bench-stack.ts';

const keptDays = 180;
const daySeconds = 86_400;
/** What DynamoDB adds to an item, and to its entry in an index. */
const overheadBytes = 100;

/** The bytes that the table and its indexes hold for 180 days; what expires before counts for its share of them. */
export async function storedBytes(stack: BenchStack): Promise<number> {
  const now = Date.now() / 1000;
  let bytes = 0;
  for (const item of await (await stack.table()).naming('')) {
    const entries = ['gsi1', 'gsi2'].filter((index) => item[`${index}pk`] !== undefined);
    const kept = entries.map((index) => ['pk', 'sk', `${index}pk`, `${index}sk`].map((name) => [name, item[name]]));
    const sizes = [Object.entries(item), ...kept].map((parts) => sizeOf(Object.fromEntries(parts)) + overheadBytes);
    const days = item.ttl === undefined ? keptDays : (Number(item.ttl) - now) / daySeconds;
    bytes += sizes.reduce((sum, size) => sum + size, 0) * Math.min(1, Math.max(0, days / keptDays));
  }
  return bytes;
}

/** The bytes of a value as DynamoDB counts them. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return Math.ceil(String(value).length / 2) + 1;
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== 'object' || value === null) return 1;
  const parts = Array.isArray(value) ? value.map((part) => ['', part] as const) : Object.entries(value);
  return parts.reduce((sum, [name, part]) => sum + 1 + Buffer.byteLength(name) + sizeOf(part), 3);
}
