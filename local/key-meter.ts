import { SortKeyHeat } from './sort-key-heat.ts';
import type { Resource } from './template/resource.ts';

/** The write units of a partition key, of the table (`index` empty) or of an index. */
export interface KeyUsage {
  index: string;
  key: string;
  units: number;
  /** The most units of one second of the stack's clock. */
  peak_second: number;
  /** The share of the hottest eighth of its sort keys: 1 when AWS cannot split the key, 0.125 when it can at best. */
  hottest_share: number;
  /** The units by the function that wrote. */
  functions: Record<string, number>;
}

/** A DynamoDB request, or an item, as it is sent. */
// biome-ignore lint/suspicious/noExplicitAny: the operation decides
type Json = Record<string, any>;
/** Sends a request to the engine and returns its answer. */
type Send = (operation: string, request: Json) => Promise<Json>;

interface Schema {
  key: string[];
  /** The key attributes of each index, which holds keys only, or is metered as if it did. */
  indexes: { name: string; key: string[] }[];
}

interface Write {
  table: string;
  key: Json;
  /** 2 in a transaction, which writes an item twice. */
  factor: 1 | 2;
}

type Counted = Omit<KeyUsage, 'hottest_share'> & { second: number; inSecond: number; heat: SortKeyHeat };

const reportedKeys = 200;
const unitBytes = 1_024;

/**
 * Meters write units by partition key. It reads every item before and after its write, which is several times as slow
 * as the write. Past `maxKeys` keys it forgets the least written half: the sums of hot keys stay exact.
 */
export class KeyMeter {
  readonly #schemas: Map<string, Schema>;
  readonly #maxKeys: number;
  #uses = new Map<string, Counted>();

  constructor(tables: readonly Resource[], maxKeys = 20_000) {
    this.#maxKeys = maxKeys;
    this.#schemas = new Map(tables.map((table) => [table.name, schemaOf(table)]));
  }

  /** The keys with the most units, at most 200. */
  report(): KeyUsage[] {
    return this.#hottest(reportedKeys).map(({ second: _, inSecond: _in, heat, ...use }) => {
      return { ...use, hottest_share: heat.hottestShare };
    });
  }

  /** Runs a write and counts what it consumes; `refused` is what a failed condition costs. */
  async meter<T extends { status: number }>(
    write: { operation: string; body: Buffer; caller: string },
    send: Send,
    run: () => Promise<T>,
  ): Promise<T> {
    const writes = this.#writesOf(write.operation, JSON.parse(write.body.toString()));
    const before = await this.#read(writes, send);
    const answer = await run();
    const after = answer.status === 200 ? await this.#read(writes, send) : before;
    const failed = answer.status !== 200 && !String((answer as Json).body).includes('ConditionalCheckFailed');
    if (failed) return answer;
    for (const [at, { table, key, factor }] of writes.entries()) {
      const { indexes, key: names } = this.#schemas.get(table)!;
      const units = Math.max(1, Math.ceil(Math.max(sizeOf(before[at]), sizeOf(after[at])) / unitBytes));
      this.#add('', key, names, factor * units, write.caller);
      for (const { name, key: indexKey } of indexes) {
        const [was, is] = [entryOf(before[at], indexKey), entryOf(after[at], indexKey)];
        if (was === is) continue;
        for (const image of [was && before[at], is && after[at]])
          if (image) this.#add(name, image, indexKey, 1, write.caller);
      }
    }
    return answer;
  }

  #writesOf(operation: string, request: Json): Write[] {
    const write = ({ TableName: table, Item, Key }: Json, factor: 1 | 2): Write => {
      const attributes = this.#schemas.get(table)!.key.map((name) => [name, (Item ?? Key)[name]]);
      return { table, key: Object.fromEntries(attributes), factor };
    };
    if (operation === 'BatchWriteItem')
      return Object.entries<Json[]>(request.RequestItems).flatMap(([TableName, requests]) =>
        requests.map(({ PutRequest, DeleteRequest }) => write({ TableName, ...(PutRequest ?? DeleteRequest) }, 1)),
      );
    if (operation !== 'TransactWriteItems') return [write(request, 1)];
    return (request.TransactItems as Json[]).map((item) => write(Object.values(item)[0], 2));
  }

  /** The items as they are now, in the order of the writes. */
  async #read(writes: readonly Write[], send: Send): Promise<(Json | undefined)[]> {
    const RequestItems: Record<string, { ConsistentRead: true; Keys: Json[] }> = {};
    for (const { table, key } of writes) {
      RequestItems[table] ??= { ConsistentRead: true, Keys: [] };
      RequestItems[table].Keys.push(key);
    }
    const { Responses = {} } = await send('BatchGetItem', { RequestItems });
    return writes.map(({ table, key }) =>
      (Responses[table] as Json[] | undefined)?.find((item) =>
        Object.entries(key).every(([name, value]) => JSON.stringify(item[name]) === JSON.stringify(value)),
      ),
    );
  }

  #add(index: string, item: Json, names: readonly string[], units: number, caller: string): void {
    const [key = '', sortKey = ''] = names.map((name) => String(Object.values(item[name])[0]));
    const second = Math.floor(Date.now() / 1000);
    const name = `${index} ${key}`;
    const use = this.#uses.get(name) ?? newUse(index, key, second);
    this.#uses.set(name, use);
    use.heat.add(sortKey, units);
    use.inSecond = (use.second === second ? use.inSecond : 0) + units;
    use.second = second;
    use.units += units;
    use.peak_second = Math.max(use.peak_second, use.inSecond);
    use.functions[caller] = (use.functions[caller] ?? 0) + units;
    if (this.#uses.size > this.#maxKeys)
      this.#uses = new Map(this.#hottest(this.#maxKeys / 2).map((kept) => [`${kept.index} ${kept.key}`, kept]));
  }

  #hottest(count: number): Counted[] {
    return [...this.#uses.values()].sort((a, b) => b.units - a.units).slice(0, count);
  }
}

const newUse = (index: string, key: string, second: number): Counted => {
  return { index, key, units: 0, peak_second: 0, functions: {}, second, inSecond: 0, heat: new SortKeyHeat() };
};

function schemaOf({ properties }: Resource): Schema {
  const names = (schema: Json[]) => schema.map(({ AttributeName }) => AttributeName as string);
  const indexes = (properties.GlobalSecondaryIndexes ?? []) as Json[];
  return {
    key: names(properties.KeySchema),
    indexes: indexes.map(({ IndexName: name, KeySchema }) => ({ name, key: names(KeySchema) })),
  };
}

/** What an item has in an index, as text to compare; empty when it is not in it. */
function entryOf(item: Json | undefined, indexKey: readonly string[]): string {
  if (!item || indexKey.some((name) => item[name] === undefined)) return '';
  return JSON.stringify(indexKey.map((name) => item[name]));
}

/** The bytes of an item as DynamoDB counts them. */
function sizeOf(item: Json | undefined): number {
  let bytes = 0;
  for (const [name, value] of Object.entries(item ?? {})) bytes += Buffer.byteLength(name) + valueSize(value);
  return bytes;
}

function valueSize(value: Json): number {
  const [[type, content] = []] = Object.entries(value);
  if (type === 'S') return Buffer.byteLength(content);
  if (type === 'N') return Math.ceil(String(content).replace(/[-.]/g, '').length / 2) + 1;
  if (type === 'B') return Buffer.byteLength(content, 'base64');
  if (type === 'L') return (content as Json[]).reduce((sum, element) => sum + 1 + valueSize(element), 3);
  if (type === 'M') return 3 + Object.keys(content).length + sizeOf(content);
  if (type === 'SS' || type === 'NS')
    return (content as string[]).reduce((sum, element) => sum + Buffer.byteLength(element), 0);
  return 1;
}
