import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ListTablesCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteFunctionConcurrencyCommand,
  LambdaClient,
  PutFunctionConcurrencyCommand,
  UpdateEventSourceMappingCommand,
} from '@aws-sdk/client-lambda';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAssembly } from '../../local/template/assembly.ts';
import { resolveTemplates } from '../../local/template/template.ts';
import { acceptedAddresses, ended, idle, readyCampaign, rows } from '../support/campaign.ts';
import { expectExactLedger } from '../support/ledger.ts';
import { operate } from '../support/operate.ts';
import { awsOf, type Stack, startStack } from '../support/stack.ts';
import { type Row, rawTable } from '../support/table.ts';
import { control, newTeam, type Team } from '../support/team.ts';

const recipients = 150;
const guide = readFileSync(new URL('../../docs/deploying.md', import.meta.url), 'utf8');

let folder: string;
let stack: Stack;
let lambda: LambdaClient;
let dynamoDb: DynamoDBClient;
let TableName: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-restore-'));
  stack = await startStack({ data: folder });
  lambda = new LambdaClient(awsOf(folder));
  dynamoDb = new DynamoDBClient(awsOf(folder));
  TableName = (await dynamoDb.send(new ListTablesCommand())).TableNames![0]!;
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

const environment = { region: 'us-east-1', accountId: '000000000000', awsEndpoint: '', apiEndpoint: '' };
const resources = resolveTemplates(readAssembly(process.env.MAILWRIGHT_ASSEMBLY!), environment);
const named = (type: string) => resources.ofType(type).map(({ name }) => name);

async function rule(operation: 'DisableRule' | 'EnableRule'): Promise<void> {
  const { status } = await fetch(awsOf(folder).endpoint, {
    method: 'POST',
    headers: {
      'x-amz-target': `AWSEvents.${operation}`,
      authorization: 'AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/events/aws4_request',
    },
    body: JSON.stringify({ Name: 'mailwright-dev-reconcile' }),
  });
  expect(status).toBe(200);
}

const enableMappings = (Enabled: boolean) =>
  Promise.all(
    named('AWS::Lambda::EventSourceMapping').map((UUID) =>
      lambda.send(new UpdateEventSourceMappingCommand({ UUID, Enabled })),
    ),
  );

const allow = (FunctionName: string) => lambda.send(new DeleteFunctionConcurrencyCommand({ FunctionName }));

/** The first step of the guide. */
async function stopAll(): Promise<void> {
  await rule('DisableRule');
  await enableMappings(false);
  for (const FunctionName of named('AWS::Lambda::Function'))
    await lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }));
  for (let running = 1; running > 0; await setTimeout(50)) {
    const { waiting_for = [] } = (await control('GET', '/idle?timeout_ms=0', undefined, stack.origin)).body;
    running = waiting_for.filter((work: string) => work.startsWith('function ')).length;
  }
}

/** The fifth step of the guide. */
async function startAll(): Promise<void> {
  await Promise.all(named('AWS::Lambda::Function').map(allow));
  await enableMappings(true);
  await rule('EnableRule');
}

/** What the table would be restored to: nothing is at work, so that the copy is of one moment. */
async function copyTable(): Promise<Row[]> {
  const items: Row[] = [];
  let ExclusiveStartKey: Record<string, unknown> | undefined;
  do {
    const page = await DynamoDBDocumentClient.from(dynamoDb).send(new ScanCommand({ TableName, ExclusiveStartKey }));
    items.push(...(page.Items as Row[]));
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey);
  return items;
}

/** The second and third step: the table is deleted, and one of its name has what the copy has. */
async function replaceTable(copy: readonly Row[]): Promise<void> {
  const { Table } = await dynamoDb.send(new DescribeTableCommand({ TableName }));
  const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes } = Table!;
  await dynamoDb.send(new DeleteTableCommand({ TableName }));
  const indexes = GlobalSecondaryIndexes!.map(({ IndexName, KeySchema, Projection }) => ({
    IndexName,
    KeySchema,
    Projection,
  }));
  await dynamoDb.send(
    new CreateTableCommand({
      TableName,
      AttributeDefinitions,
      KeySchema,
      GlobalSecondaryIndexes: indexes,
      BillingMode: 'PAY_PER_REQUEST',
    }),
  );
  const TimeToLiveSpecification = { Enabled: true, AttributeName: 'ttl' };
  await dynamoDb.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  await (await rawTable(folder)).write(copy);
}

const accepted = (team: Team, campaign: number) => acceptedAddresses(stack.origin, team, campaign);
const status = async (team: Team, campaign: number) => (await team.data('GET', `/campaigns/${campaign}`)).status;

/** Makes a campaign of a team of its own, and starts it. */
async function startCampaign(): Promise<{ team: Team; campaign: number }> {
  const team = await newTeam({ origin: stack.origin, plan: 'business' });
  const { campaign } = await readyCampaign(team, rows(recipients, `restore-${team.id}.example`));
  await team.data('POST', `/campaigns/${campaign}/send`);
  return { team, campaign };
}

it('a restore by the guide sends nothing twice, and what had not been sent since goes on', async () => {
  await control('POST', '/ses', { max_send_rate: 14 }, stack.origin);
  const [sent, paused] = [await startCampaign(), await startCampaign()];
  while ((await accepted(paused.team, paused.campaign)).length === 0) await setTimeout(20);
  await paused.team.data('POST', `/campaigns/${paused.campaign}/pause`);
  while ((await accepted(sent.team, sent.campaign)).length === 0) await setTimeout(20);
  await stopAll();
  expect((await sent.team.api('GET', '/me')).status).toBe(500);
  const before = await accepted(sent.team, sent.campaign);
  const copy = await copyTable();
  await startAll();

  expect((await ended(stack.origin, sent.team, sent.campaign)).status).toBe('sent');
  expect(before.length).toBeLessThan(recipients);
  const all = await accepted(sent.team, sent.campaign);
  expect(all).toHaveLength(recipients);

  await stopAll();
  await replaceTable(copy);
  await allow('mailwright-dev-operate');
  for (const { team } of [sent, paused]) await operate(folder, 'team suspend', { team_id: team.id });
  await startAll();

  for (let minute = 0; minute < 5; minute++) {
    await control('POST', '/clock', { advance_seconds: 60 }, stack.origin);
    await idle(stack.origin);
  }
  expect(await accepted(sent.team, sent.campaign)).toEqual(all);
  expect(await status(sent.team, sent.campaign)).toBe('paused');
  await sent.team.data('POST', `/campaigns/${sent.campaign}/cancel`);
  for (const { team } of [sent, paused]) await operate(folder, 'team unsuspend', { team_id: team.id });
  await paused.team.data('POST', `/campaigns/${paused.campaign}/resume`);
  expect((await ended(stack.origin, paused.team, paused.campaign)).status).toBe('sent');
  expect(await expectExactLedger(stack.origin, paused.team, paused.campaign)).toHaveLength(recipients);
  expect(await accepted(sent.team, sent.campaign)).toEqual(all);
  expect(await status(sent.team, sent.campaign)).toBe('cancelled');
});

it('these are the steps of the guide', () => {
  const [, steps] = /\*\*To restore the whole table\*\*([\s\S]*?)\n### /.exec(guide)!;
  const commands = [...steps!.matchAll(/\b(?:aws ([a-z]+ [a-z-]+)|npm run admin -- ([a-z]+ [a-z]+))/g)];
  expect(commands.map(([, aws, admin]) => aws ?? admin)).toEqual([
    'cloudformation list-stack-resources',
    // The reservation of the AI tools, which the local stack has none of.
    'lambda get-function-concurrency',
    'events disable-rule',
    'lambda update-event-source-mapping',
    'lambda put-function-concurrency',
    'dynamodb create-backup',
    'dynamodb describe-backup',
    'dynamodb update-table',
    'dynamodb delete-table',
    'dynamodb wait',
    'dynamodb restore-table-from-backup',
    'dynamodb wait',
    'dynamodb update-time-to-live',
    'dynamodb update-continuous-backups',
    'dynamodb update-table',
    'lambda delete-function-concurrency',
    'team suspend',
    'lambda delete-function-concurrency',
    'lambda put-function-concurrency',
    'lambda update-event-source-mapping',
    'events enable-rule',
    'dynamodb delete-table',
    'dynamodb delete-backup',
  ]);
});
