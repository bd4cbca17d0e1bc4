import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { DeleteObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { DynamoDBDocumentClient, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Team } from './team.ts';

type Owner = Pick<Team, 'id'>;

/** A stack's bucket for exports, and the operators' commands, over the stack's AWS endpoint. */
export interface Warehouse {
  /** Runs an operator's command. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
  operate(command: string, input: object): Promise<any>;
  /** Puts an object under the team's own prefix. */
  put(team: Owner, name: string, body: string | Buffer): Promise<void>;
  remove(team: Owner, name: string): Promise<void>;
  /** Sort keys of a partition of the table. */
  sortKeys(pk: string): Promise<string[]>;
  /** Writes an item as if something had happened before. */
  writeItem(item: { pk: string; sk: string } & Record<string, unknown>): Promise<void>;
}

/** Connects to the stack that runs on a data folder. */
export function warehouseOf(data: string): Warehouse {
  const { aws_endpoint: endpoint } = JSON.parse(readFileSync(join(data, 'stack.json'), 'utf8'));
  const options = {
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'operator', secretAccessKey: 'local' },
    forcePathStyle: true,
  };
  const lambda = new LambdaClient(options);
  const s3 = new S3Client(options);
  const table = DynamoDBDocumentClient.from(new DynamoDBClient(options));
  const tableName = async () => (await table.send(new ListTablesCommand({}))).TableNames![0]!;
  const operate: Warehouse['operate'] = async (command, input) => {
    const { Payload, FunctionError } = await lambda.send(
      new InvokeCommand({ FunctionName: 'mailwright-dev-operate', Payload: JSON.stringify({ command, ...input }) }),
    );
    const answer = Buffer.from(Payload!).toString();
    if (FunctionError) throw new Error(answer);
    return JSON.parse(answer);
  };
  const at = async (team: Owner, name: string) => {
    bucket ??= (await operate('warehouse set', { team_id: team.id })).bucket as string;
    return { Bucket: bucket, Key: `teams/${team.id}/${name}` };
  };
  let bucket: string | undefined;
  return {
    operate,
    put: async (team, name, Body) => void (await s3.send(new PutObjectCommand({ ...(await at(team, name)), Body }))),
    async sortKeys(pk) {
      const TableName = await tableName();
      const { Items = [] } = await table.send(
        new QueryCommand({
          TableName,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': pk },
          ConsistentRead: true,
        }),
      );
      return Items.map(({ sk }) => sk);
    },
    writeItem: async (Item) => void (await table.send(new PutCommand({ TableName: await tableName(), Item }))),
    remove: async (team, name) => void (await s3.send(new DeleteObjectCommand(await at(team, name)))),
  };
}

/** Makes a campaign to the team's warehouse audience that passes every gate; returns its id. */
export async function warehouseCampaign(team: Team, html = '', fields: object = {}): Promise<number> {
  const { body } = await team.api('POST', '/campaigns', {
    name: 'Export',
    subject: 'Hello {{first_name | default: "there"}}',
    from_email: `news@${team.domain}`,
    audience_source: 'warehouse',
    ...fields,
  });
  const { id } = body.data;
  const html_content = `${html}<a href="{{unsubscribe_url}}">Unsubscribe</a>`;
  const { status } = await team.api('PUT', `/campaigns/${id}/content`, { html_content });
  if (status !== 200) throw new Error(`the content was refused: ${status}`);
  return id;
}
