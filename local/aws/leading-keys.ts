import type { Resources, Value } from '../template/resource.ts';

/** The partition keys that a call names, for one action on one table or index. */
export type LeadingKeysOf = (action: string) => string[];

/** Reads what IAM sees as `dynamodb:LeadingKeys` of a DynamoDB call, when it is asked for. */
export function leadingKeysIn(operation: string, body: Buffer, resources: Resources): LeadingKeysOf {
  let parsed: Map<string, string[]> | undefined;
  return (action) => {
    parsed ??= readKeys(operation, JSON.parse(body.toString()), resources);
    return parsed.get(action) ?? [];
  };
}

function readKeys(operation: string, input: Value, resources: Resources): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const add = (name: string, table: string, item: Value) => {
    const key = item?.[partitionKey(resources, table)];
    const keys = found.get(`dynamodb:${name}`) ?? [];
    if (key) found.set(`dynamodb:${name}`, [...keys, String(Object.values(key)[0])]);
  };
  if (operation.startsWith('Transact')) {
    for (const item of input.TransactItems ?? []) {
      const [[kind, { TableName, Item, Key }]] = Object.entries<Value>(item) as [[string, Value]];
      add(transactionActions[kind] ?? kind, TableName, Item ?? Key);
    }
  } else if (operation === 'BatchGetItem') {
    for (const [table, { Keys }] of Object.entries<Value>(input.RequestItems ?? {}))
      for (const key of Keys) add(operation, table, key);
  } else if (operation === 'BatchWriteItem') {
    for (const [table, requests] of Object.entries<Value>(input.RequestItems ?? {}))
      for (const { PutRequest, DeleteRequest } of requests)
        add(operation, table, PutRequest?.Item ?? DeleteRequest?.Key);
  } else if (operation === 'Query') {
    const name = partitionKey(resources, input.TableName, input.IndexName);
    add(operation, input.TableName, { [partitionKey(resources, input.TableName)]: queriedKey(input, name) });
  } else add(operation, input.TableName, input.Item ?? input.Key);
  return found;
}

/** The actions that IAM checks for the parts of a transaction. */
export const transactionActions: Record<string, string> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
  Get: 'GetItem',
};

/** The value that a key condition compares the partition key with. */
function queriedKey(
  { KeyConditionExpression = '', ExpressionAttributeNames, ExpressionAttributeValues }: Value,
  name: string,
) {
  for (const [, written, value] of KeyConditionExpression.matchAll(/(#?\w+)\s*=\s*(:\w+)/g))
    if ((ExpressionAttributeNames?.[written] ?? written) === name) return ExpressionAttributeValues?.[value];
  return undefined;
}

function partitionKey(resources: Resources, tableName: string, indexName?: string): string {
  const table = resources.ofType('AWS::DynamoDB::Table').find(({ name }) => name === tableName);
  const indexes: Value[] = table?.properties.GlobalSecondaryIndexes ?? [];
  const { KeySchema = [] } =
    (indexName ? indexes.find((index) => index.IndexName === indexName) : table?.properties) ?? {};
  return KeySchema.find(({ KeyType }: Value) => KeyType === 'HASH')?.AttributeName ?? '';
}
