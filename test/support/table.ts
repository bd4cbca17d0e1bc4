import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { BatchWriteCommand, DynamoDBDocumentClient, QueryCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { eventKeys } from '../../shared/data/events/rows.ts';
import { awsOf } from './stack.ts';

const perCall = 25;

/** An item as it is stored. */
export type Row = { pk: string; sk: string } & Record<string, unknown>;

/** Direct access to the table of a local stack. */
export interface RawTable {
  write(rows: readonly Row[]): Promise<void>;
  /** Every item of a partition. */
  partition(pk: string): Promise<Row[]>;
  /** Every item that contains a text. */
  naming(text: string): Promise<Row[]>;
}

/** Opens the table of the stack of a data folder. */
export async function rawTable(folder: string): Promise<RawTable> {
  const client = DynamoDBDocumentClient.from(new DynamoDBClient(awsOf(folder)));
  const { TableNames } = await client.send(new ListTablesCommand());
  const tableName = TableNames![0]!;
  const ofPartition = (pk: string) => ({
    TableName: tableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': pk },
  });
  return {
    async write(rows) {
      for (let at = 0; at < rows.length; at += perCall) {
        const requests = rows.slice(at, at + perCall).map((Item) => ({ PutRequest: { Item } }));
        const { UnprocessedItems } = await client.send(
          new BatchWriteCommand({ RequestItems: { [tableName]: requests } }),
        );
        if (UnprocessedItems?.[tableName]?.length) throw new Error('the engine left items unprocessed');
      }
    },
    partition: (pk) =>
      all((ExclusiveStartKey) => client.send(new QueryCommand({ ...ofPartition(pk), ExclusiveStartKey }))),
    naming: async (text) => {
      const items = await all((ExclusiveStartKey) =>
        client.send(new ScanCommand({ TableName: tableName, ExclusiveStartKey })),
      );
      return items.filter((item) => JSON.stringify(item).includes(text));
    },
  };
}

/** The rows that find a team's contacts by id, in the order of ids; ids are below 2,000. */
export async function idRows(
  table: Pick<RawTable, 'partition'>,
  teamId: number,
): Promise<[id: number, email: string][]> {
  const shared = Array.from({ length: 40 }, (_, row) => `TEAM#${teamId}#CONTACT_IDS#${row}`);
  const own = Array.from({ length: 16 }, (_, shard) => `TEAM#${teamId}#CONTACT_ID#${shard}`);
  const rows = (await Promise.all([...shared, ...own, `TEAM#${teamId}#CONTACT_ID`].map(table.partition))).flat();
  const found = rows.flatMap(({ pk: _, sk, email, ...emails }): [number, string][] =>
    email === undefined
      ? Object.entries(emails).map(([id, address]) => [Number(id), address as string])
      : [[Number(sk), email as string]],
  );
  return found.sort(([a], [b]) => a - b);
}

type Page = { Items?: unknown[]; LastEvaluatedKey?: Record<string, unknown> };

async function all(read: (from: Page['LastEvaluatedKey']) => Promise<Page>): Promise<Row[]> {
  const found: Row[] = [];
  let next: Page['LastEvaluatedKey'];
  do {
    const { Items = [], LastEvaluatedKey } = await read(next);
    found.push(...(Items as Row[]));
    next = LastEvaluatedKey;
  } while (next);
  return found;
}

/** Rows of `count` opens by an address, a second apart, the last one at `until`. */
export function opens(
  teamId: number,
  person: { email: string; contact_id: number },
  count: number,
  until = Date.now(),
): Row[] {
  return Array.from({ length: count }, (_, index) => {
    const created_at = new Date(until - (count - 1 - index) * 1000).toISOString().replace('Z', '+00:00');
    const event = { ...person, id: until + index, campaign_id: null, created_at };
    return {
      ...eventKeys(teamId, event, true),
      ...event,
      event: 'opened',
      provider: 'test',
      source: null,
      is_machine_open: false,
      metadata: { ip: '203.0.113.9' },
      ttl: Math.floor(until / 1000) + 180 * 86_400,
    };
  });
}
