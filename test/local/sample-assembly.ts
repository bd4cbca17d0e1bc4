import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A function of the sample; `code` is a module that exports `handler`. */
interface SampleFunction {
  code: string;
  permissions?: { Action: string | string[]; Resource: unknown; Effect?: string }[];
  environment?: Record<string, unknown>;
  timeout?: number;
}

/** Calls AWS without a signature, but with the credential header that the AWS endpoint reads. */
const awsCall = `
const aws = async (service, target, body) => {
  const response = await fetch(process.env.AWS_ENDPOINT_URL, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': target,
      'x-amz-date': '20261120T000000Z',
      authorization: 'AWS4-HMAC-SHA256 Credential=' + process.env.AWS_ACCESS_KEY_ID + '/20261120/us-east-1/' + service +
        '/aws4_request, SignedHeaders=host, Signature=0',
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, ...(await response.json()) };
};
const dynamodb = (operation, input) =>
  aws('dynamodb', 'DynamoDB_20120810.' + operation, { TableName: process.env.TABLE, ...input });
const put = (pk, value) => dynamodb('PutItem', { Item: { pk: { S: pk }, value: { S: value } } });
const count = (pk) => dynamodb('UpdateItem', {
  Key: { pk: { S: pk } }, UpdateExpression: 'ADD #n :one',
  ExpressionAttributeNames: { '#n': 'count' }, ExpressionAttributeValues: { ':one': { N: '1' } },
});
const get = async (pk) => (await dynamodb('GetItem', { Key: { pk: { S: pk } } })).Item;
`;

const table = { 'Fn::GetAtt': ['Table', 'Arn'] };
const tablePermissions = { Action: ['dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:GetItem'], Resource: table };

const functions: Record<string, SampleFunction> = {
  api: {
    environment: {
      TABLE: { Ref: 'Table' },
      QUEUE: { Ref: 'Queue' },
      DEAD: { Ref: 'Dead' },
      MACHINE: { Ref: 'Machine' },
    },
    permissions: [
      tablePermissions,
      { Action: 'sqs:SendMessage', Resource: { 'Fn::GetAtt': ['Queue', 'Arn'] } },
      { Action: 'sqs:ReceiveMessage', Resource: { 'Fn::GetAtt': ['Dead', 'Arn'] } },
      { Action: 'states:*', Resource: '*' },
    ],
    code: `
      export async function handler(event) {
        console.log('a line of the api function');
        const { operation, input } = JSON.parse(event.body ?? '{}');
        const operations = {
          event: () => event,
          environment: () => process.env,
          get: () => get(input),
          put: () => put(input, new Date().toISOString()),
          receive: () => aws('sqs', 'AmazonSQS.ReceiveMessage', { QueueUrl: process.env.DEAD }),
          send: () => aws('sqs', 'AmazonSQS.SendMessage', { QueueUrl: process.env.QUEUE, ...input }),
          start: () =>
            aws('states', 'AWSStepFunctions.StartExecution', { stateMachineArn: process.env.MACHINE, ...input }),
          describe: () => aws('states', 'AWSStepFunctions.DescribeExecution', input),
          stop: () => aws('states', 'AWSStepFunctions.StopExecution', input),
          scan: () => dynamodb('Scan'),
          fail: () => { throw new TypeError('on request'); },
        };
        if (!operations[operation]) return { statusCode: 404, body: event.routeKey };
        const result = await operations[operation]();
        return { statusCode: 200, headers: { 'X-Sample': 'yes' }, body: JSON.stringify(result) };
      }`,
  },
  worker: {
    environment: { TABLE: { Ref: 'Table' } },
    timeout: 20,
    permissions: [
      tablePermissions,
      {
        Action: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
        Resource: { 'Fn::GetAtt': ['Queue', 'Arn'] },
      },
    ],
    code: `
      export async function handler({ Records }) {
        const batchItemFailures = [];
        for (const { body, messageId } of Records) {
          await count(body);
          if (body.startsWith('fail')) batchItemFailures.push({ itemIdentifier: messageId });
        }
        return { batchItemFailures };
      }`,
  },
  task: {
    environment: { TABLE: { Ref: 'Table' } },
    permissions: [tablePermissions],
    code: `
      export async function handler({ id, wait }) {
        const item = await get(id);
        const runs = Number(item?.count?.N ?? 0) + 1;
        await count(id);
        if (id.startsWith('flaky') && runs === 1) throw Object.assign(new Error('try again'), { name: 'Flaky' });
        return { next: runs >= 3 ? 'done' : 'wait', wait };
      }`,
  },
  tick: {
    environment: { TABLE: { Ref: 'Table' } },
    permissions: [tablePermissions, { Action: 'sqs:SendMessage', Resource: { 'Fn::GetAtt': ['Dead', 'Arn'] } }],
    code: `
      export const handler = async () => {
        await count('ticks');
        if (process.env.FAIL) throw new TypeError('no tick');
      };`,
  },
  operate: {
    code: `
      const results = { 'team create': { team_id: 1 }, 'key create': { id: 1, key: 'mw_live_sample' } };
      export const handler = ({ command }) => results[command] ?? {};`,
  },
};

const definition = {
  StartAt: 'Work',
  States: {
    Work: {
      Type: 'Task',
      Resource: 'TASK',
      ResultPath: '$.result',
      Retry: [{ ErrorEquals: ['Flaky'], IntervalSeconds: 60, MaxAttempts: 2 }],
      Next: 'Which',
    },
    Which: {
      Type: 'Choice',
      Choices: [{ Variable: '$.result.next', StringEquals: 'wait', Next: 'Pause' }],
      Default: 'Done',
    },
    Pause: { Type: 'Wait', SecondsPath: '$.result.wait', Next: 'Work' },
    Done: { Type: 'Succeed' },
  },
};

/** The sample's resources: a table, a queue with dead letters, a workflow, a schedule, an HTTP API. */
function sampleResources(): Record<string, unknown> {
  const [before, after] = JSON.stringify(definition).split('TASK');
  const routes = ['POST /sample', 'POST /items/{item}', 'GET /items/special', '$default'];
  return {
    Table: {
      Type: 'AWS::DynamoDB::Table',
      Properties: {
        KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
        AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      },
    },
    Dead: { Type: 'AWS::SQS::Queue' },
    Queue: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        VisibilityTimeout: 30,
        RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] }, maxReceiveCount: 3 },
      },
    },
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] },
        FunctionName: { Ref: 'worker' },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      },
    },
    Machine: {
      Type: 'AWS::StepFunctions::StateMachine',
      Properties: {
        RoleArn: { 'Fn::GetAtt': ['MachineRole', 'Arn'] },
        DefinitionString: { 'Fn::Join': ['', [before, { 'Fn::GetAtt': ['task', 'Arn'] }, after]] },
      },
    },
    MachineRole: role([{ Action: 'lambda:InvokeFunction', Resource: { 'Fn::GetAtt': ['task', 'Arn'] } }]),
    EveryMinute: {
      Type: 'AWS::Events::Rule',
      Properties: {
        ScheduleExpression: 'rate(1 minute)',
        State: 'ENABLED',
        Targets: [{ Id: 'tick', Arn: { 'Fn::GetAtt': ['tick', 'Arn'] } }],
      },
    },
    Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { ProtocolType: 'HTTP' } },
    Integration: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: { IntegrationUri: { 'Fn::GetAtt': ['api', 'Arn'] } },
    },
    TickPermission: {
      Type: 'AWS::Lambda::Permission',
      Properties: { FunctionName: { 'Fn::GetAtt': ['tick', 'Arn'] }, Principal: 'events.amazonaws.com' },
    },
    Permission: {
      Type: 'AWS::Lambda::Permission',
      Properties: { FunctionName: { 'Fn::GetAtt': ['api', 'Arn'] }, Principal: 'apigateway.amazonaws.com' },
    },
    ...Object.fromEntries(
      routes.map((RouteKey, index) => [
        `Route${index}`,
        {
          Type: 'AWS::ApiGatewayV2::Route',
          Properties: { RouteKey, Target: { 'Fn::Join': ['/', ['integrations', { Ref: 'Integration' }]] } },
        },
      ]),
    ),
  };
}

function role(statements: SampleFunction['permissions']): unknown {
  const Statement = (statements ?? []).map((statement) => ({ Effect: 'Allow', ...statement }));
  return {
    Type: 'AWS::IAM::Role',
    Properties: { Policies: [{ PolicyName: 'permissions', PolicyDocument: { Statement } }] },
  };
}

/** Writes a cloud assembly with the sample system into a folder; `change` may edit its resources. */
export function writeSample(folder: string, change: (resources: Record<string, unknown>) => void = () => {}): void {
  const resources = sampleResources();
  const files: Record<string, unknown> = {};
  for (const [name, { code, permissions, environment, timeout }] of Object.entries(functions)) {
    mkdirSync(join(folder, `asset.${name}`), { recursive: true });
    writeFileSync(join(folder, `asset.${name}`, 'index.mjs'), awsCall + code);
    files[name] = { source: { path: `asset.${name}` } };
    resources[`${name}Role`] = role(permissions);
    resources[name] = {
      Type: 'AWS::Lambda::Function',
      Properties: {
        FunctionName: `sample-${name}`,
        Handler: 'index.handler',
        Runtime: 'nodejs24.x',
        Timeout: timeout ?? 10,
        Role: { 'Fn::GetAtt': [`${name}Role`, 'Arn'] },
        Code: { S3Key: `${name}.zip` },
        Environment: { Variables: environment ?? {} },
      },
    };
  }
  change(resources);
  const artifacts = {
    Sample: { type: 'aws:cloudformation:stack', properties: { templateFile: 'Sample.template.json' } },
  };
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ artifacts }));
  writeFileSync(join(folder, 'Sample.template.json'), JSON.stringify({ Resources: resources }));
  writeFileSync(join(folder, 'Sample.assets.json'), JSON.stringify({ files }));
}
