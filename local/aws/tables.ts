import { real } from '../clock.ts';
import type { DataFolder } from '../data-folder.ts';
import { Problem } from '../problem.ts';
import type { Resource, Resources, Value } from '../template/resource.ts';
import type { Answer } from './errors.ts';

/** The DynamoDB engine: a child process of the stack, or an external server. */
export interface DynamoDb {
  endpoint: string;
  /** Whether it is an external server, which keeps its own data. */
  external: boolean;
  /** Forwards a request unchanged. */
  forward(headers: Record<string, string>, body: Buffer): Promise<Answer>;
  stop(): Promise<void>;
}

/**
 * Creates the tables of the template; throws a Problem when one exists with other keys or indexes, and when an external
 * engine has one that is not the folder's, or not the one that is.
 */
export async function createTables(resources: Resources, dynamoDb: DynamoDb, folder: DataFolder): Promise<void> {
  const had = (folder.read('tables_made') ?? folder.read('demo_team')) !== undefined;
  for (const table of resources.ofType('AWS::DynamoDB::Table')) {
    const wanted = tableInput(table);
    const created = await call(dynamoDb, 'CreateTable', wanted).catch((error: Error) => {
      throw new Problem(`No DynamoDB answers at ${dynamoDb.endpoint}: ${error.message}`);
    });
    if (created.__type?.includes('ResourceInUse')) {
      if (dynamoDb.external && !had) throw foreignTable(table.name, dynamoDb);
      const { Table: existing } = await call(dynamoDb, 'DescribeTable', { TableName: table.name });
      if (shape(existing) === shape(wanted)) continue;
      throw new Problem(
        `The table ${table.name} in the data folder has other keys or indexes than the template: ` +
          'delete the folder to begin afresh.',
      );
    }
    if (created.__type)
      throw new Problem(`The table ${table.name} could not be created: ${created.message ?? created.__type}`);
    if (dynamoDb.external && had) {
      await dropTable(dynamoDb, table);
      throw missingTable(table.name, dynamoDb, folder);
    }
    const ttl = table.properties.TimeToLiveSpecification;
    if (ttl) await call(dynamoDb, 'UpdateTimeToLive', { TableName: table.name, TimeToLiveSpecification: ttl });
  }
  folder.write('tables_made', 'yes');
}

/** Deletes what an ephemeral stack has stored in an external engine. */
export async function dropTables(resources: Resources, dynamoDb: DynamoDb): Promise<void> {
  for (const table of resources.ofType('AWS::DynamoDB::Table')) await dropTable(dynamoDb, table);
}

const dropTable = (dynamoDb: DynamoDb, { name: TableName }: Resource): Promise<Value> =>
  call(dynamoDb, 'DeleteTable', { TableName });

/** Keys and indexes of a table as one comparable string. */
function shape({ KeySchema, GlobalSecondaryIndexes = [] }: Value): string {
  const keys = (schema: Value[]) => schema.map(({ AttributeName, KeyType }) => `${KeyType} ${AttributeName}`).join();
  const indexes = GlobalSecondaryIndexes.map((index: Value) => `${index.IndexName} ${keys(index.KeySchema)}`).sort();
  return [keys(KeySchema), ...indexes].join(';');
}

function tableInput({ name: TableName, properties }: Resource): Value {
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes } = properties;
  return { TableName, AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode: 'PAY_PER_REQUEST' };
}

async function call(dynamoDb: DynamoDb, operation: string, input: Value): Promise<Value> {
  const body = Buffer.from(JSON.stringify(input));
  const headers = {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': String(body.length),
    'x-amz-target': `DynamoDB_20120810.${operation}`,
    'x-amz-date': new Date(real.now()).toISOString().replaceAll(/[-:]|\.\d+/g, ''),
    authorization:
      'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  };
  const { body: answer } = await dynamoDb.forward(headers, body);
  return JSON.parse(String(answer));
}

/** The Problem of a table in an external server that a data folder without one has not made. */
function foreignTable(name: string, { endpoint }: DynamoDb): Problem {
  return new Problem(
    `The DynamoDB at ${endpoint} has a table ${name} of another local stack: start with that one's data folder ` +
      '(--data DIR), or start the engine anew without -sharedDb, which keeps the tables of local stacks apart.',
  );
}

/** The Problem of a data folder whose table is not in the external server. */
function missingTable(name: string, { endpoint }: DynamoDb, folder: DataFolder): Problem {
  return new Problem(
    `The table ${name} of the data folder ${folder.path} is not in the DynamoDB at ${endpoint}: did the engine ` +
      'keep it in memory, or the folder use another one? Delete the folder to begin afresh, or choose another with ' +
      '--data DIR.',
  );
}
