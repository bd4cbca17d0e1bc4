import { type Acknowledgment, Aws, type Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ConfigurationSet } from 'aws-cdk-lib/aws-ses';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import type { QueueWorker } from './constructs/queue-worker.ts';
import type { DataStack } from './data-stack.ts';
import type { StageSettings } from './stage.ts';

/** What a function may do: statements for its role, and the environment that tells it where. */
export interface Right {
  statements: PolicyStatement[];
  environment?: Record<string, string>;
  /** Why a statement names its resources with a wildcard; without it cdk-nag fails the synthesis. */
  wildcards?: Acknowledgment[];
}

/** The names of the table's secondary indexes. */
export const indexNames = ['gsi1', 'gsi2'] as const;

const identities = 'ses:identity/*';
const templates = 'ses:template/*';
const teamsAddDomains = 'Teams add their sending domains at run time.';

/** Read and write items by key and query the indexes; a Scan is nobody's right. `more` are actions that few need. */
export function tableItems(table: Table, ...more: string[]): Right {
  return {
    statements: [
      allow(
        [table.tableArn],
        [
          'dynamodb:GetItem',
          'dynamodb:BatchGetItem',
          'dynamodb:Query',
          'dynamodb:PutItem',
          'dynamodb:UpdateItem',
          'dynamodb:DeleteItem',
          'dynamodb:ConditionCheckItem',
          ...more,
        ],
      ),
      allow(
        indexNames.map((name) => `${table.tableArn}/index/${name}`),
        ['dynamodb:Query'],
      ),
    ],
    environment: { TABLE_NAME: table.tableName },
  };
}

/** Send campaign pages through the configuration set that reports back. */
export function sendMail(configurationSet: ConfigurationSet): Right {
  const through = `ses:configuration-set/${configurationSet.configurationSetName}`;
  return {
    statements: [
      allow([identities, templates, through].map(arnOf), ['ses:SendBulkEmail', 'ses:SendBulkTemplatedEmail']),
    ],
    environment: { CONFIGURATION_SET: configurationSet.configurationSetName },
    wildcards: [
      wildcard(identities, teamsAddDomains),
      wildcard(templates, 'SES checks SendBulkEmail against a template resource, and an inline template has no name.'),
    ],
  };
}

/** Send one message at a time through the configuration set that does not track. */
export function sendDirectMail(configurationSet: ConfigurationSet): Right {
  const through = `ses:configuration-set/${configurationSet.configurationSetName}`;
  return {
    statements: [allow([identities, through].map(arnOf), ['ses:SendEmail'])],
    environment: { DIRECT_CONFIGURATION_SET: configurationSet.configurationSetName },
    wildcards: [wildcard(identities, teamsAddDomains)],
  };
}

/** Read the SES account's quota, rate and sandbox state. */
export function readSendingAccount(): Right {
  return {
    statements: [allow(['*'], ['ses:GetAccount'])],
    wildcards: [wildcard('*', 'The account itself is what ses:GetAccount reads; it has no ARN.')],
  };
}

/** List and read the teams' exports and the results of queries in the system's own bucket, and whatever lies in the buckets of customers that the stage names. */
export function readExports({ exports, exportsArn }: DataStack, others: readonly string[]): Right {
  const named = others.map((name) => `arn:${Aws.PARTITION}:s3:::${name}`);
  const own = ['teams/*', 'queries/*'];
  const shown = [
    ...own.map((keys) => `${exportsArn.exportedAs}/${keys}`),
    ...others.map((name) => `arn:<AWS::Partition>:s3:::${name}/*`),
  ];
  return {
    statements: [
      allow([exportsArn.value, ...named], ['s3:ListBucket']),
      allow([...own.map((keys) => `${exportsArn.value}/${keys}`), ...named.map((arn) => `${arn}/*`)], ['s3:GetObject']),
    ],
    environment: { EXPORT_BUCKET: exports.bucketName },
    wildcards: shown.map((resource) => wildcard(resource, 'Warehouses name the objects that they unload.')),
  };
}

/** Read whether a team's sending domain is verified. */
export function readSendingDomains(): Right {
  return {
    statements: [allow([arnOf(identities)], ['ses:GetEmailIdentity'])],
    wildcards: [wildcard(identities, teamsAddDomains)],
  };
}

/** Add a sending domain. */
export function addSendingDomains(): Right {
  return {
    statements: [allow([arnOf(identities)], ['ses:CreateEmailIdentity', 'ses:PutEmailIdentityMailFromAttributes'])],
    wildcards: [wildcard(identities, teamsAddDomains)],
  };
}

/** Remove a sending domain. */
export function removeSendingDomains(): Right {
  return {
    statements: [allow([arnOf(identities)], ['ses:DeleteEmailIdentity'])],
    wildcards: [wildcard(identities, teamsAddDomains)],
  };
}

/** Put messages on the queue whose address `variable` holds. */
export function enqueue(queue: Queue, variable: string): Right {
  return { statements: [allow([queue.queueArn], ['sqs:SendMessage'])], environment: { [variable]: queue.queueUrl } };
}

/** Take messages off a queue, as Lambda's event source does in the function's name. */
export function consume(queue: Queue): Right {
  return {
    statements: [allow([queue.queueArn], ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'])],
  };
}

/** Put what lies in the dead-letter queues of a stack's workers back on the queues that it came from. */
export function redrive(stack: Stack, workers: readonly QueueWorker[]): Right {
  const addresses = workers.map(({ node, queue, deadLetters }) => [node.id, [deadLetters.queueUrl, queue.queueUrl]]);
  return {
    statements: [
      allow(
        workers.map(({ deadLetters }) => deadLetters.queueArn),
        ['sqs:ReceiveMessage', 'sqs:DeleteMessage'],
      ),
      allow(
        workers.map(({ queue }) => queue.queueArn),
        ['sqs:SendMessage'],
      ),
    ],
    environment: { REDRIVES: stack.toJsonString(Object.fromEntries(addresses)) },
  };
}

/** Start the workflow of a campaign. */
export function startCampaigns(workflow: StateMachine): Right {
  return {
    statements: [allow([workflow.stateMachineArn], ['states:StartExecution'])],
    environment: { CAMPAIGN_STATE_MACHINE_ARN: workflow.stateMachineArn },
  };
}

/** Start further attempts at webhook deliveries. */
export function startRetries(workflow: StateMachine): Right {
  return {
    statements: [allow([workflow.stateMachineArn], ['states:StartExecution'])],
    environment: { WEBHOOK_STATE_MACHINE_ARN: workflow.stateMachineArn },
  };
}

/** See whether a workflow's executions, which are named after `what` at run time, still run. */
export function watchExecutions(workflowName: string, what: string): Right {
  const executions = `states:execution:${workflowName}:*`;
  return {
    statements: [allow([arnOf(executions)], ['states:DescribeExecution'])],
    wildcards: [wildcard(executions, `Executions are named after ${what} at run time.`)],
  };
}

/** Call the URLs that customers have registered: a right that no policy grants, but a setting may widen. */
export function callWebhooks({ webhookAllowLoopback }: StageSettings): Right {
  return { statements: [], ...(webhookAllowLoopback && { environment: { WEBHOOK_ALLOW_LOOPBACK: 'true' } }) };
}

/** Profiles that spread calls over regions are named after where: `us.`, `eu.`, `global.` before the model's own id. */
const profilePrefix = /^(?:us|eu|apac|ap|jp|au|ca|sa|me|af|il|us-gov|global)\./;

/**
 * Ask one Bedrock model: a foundation model by its id, a cross-region inference profile by its id, or either, or a provisioned or custom
 * model, by its ARN. Throws for an application inference profile, which does not say what it leads to.
 */
export function invokeModel(modelId: string): Right {
  if (modelId.includes(':application-inference-profile/'))
    throw new Error(
      'bedrockModelId cannot be an application inference profile: name the model or the profile it was made from.',
    );
  const profile = /:inference-profile\/(.+)$/.exec(modelId)?.[1] ?? (profilePrefix.test(modelId) ? modelId : undefined);
  const model = modelId.startsWith('arn:')
    ? modelId
    : `arn:${Aws.PARTITION}:bedrock:${Aws.REGION}::foundation-model/${modelId}`;
  const environment = { BEDROCK_MODEL_ID: modelId };
  if (profile === undefined) return { statements: [allow([model], ['bedrock:InvokeModel'])], environment };
  // A profile's call needs the right to its model as well, in whichever region it is answered.
  const anywhere = `bedrock:*::foundation-model/${profile.replace(profilePrefix, '')}`;
  const through = modelId.startsWith('arn:') ? modelId : arnOf(`bedrock:inference-profile/${modelId}`);
  return {
    statements: [allow([through, `arn:${Aws.PARTITION}:${anywhere}`], ['bedrock:InvokeModel'])],
    environment,
    wildcards: [
      {
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:${anywhere}]`,
        reason: 'An inference profile answers from whichever of its regions has room; the model is named.',
      },
    ],
  };
}

/** A statement that allows exactly these actions on exactly these resources. */
export function allow(resources: string[], actions: string[]): PolicyStatement {
  return new PolicyStatement({ actions, resources });
}

/** The ARN, in this account and region, of a resource written `service:resource`. */
function arnOf(resource: string): string {
  return resource.replace(/^(\w+):/, `arn:${Aws.PARTITION}:$1:${Aws.REGION}:${Aws.ACCOUNT_ID}:`);
}

/** Answers cdk-nag's finding on a wildcard in `resource`. */
export function wildcard(resource: string, reason: string): Acknowledgment {
  const shown = resource.replace(/^(?!arn:)(\w+):/, 'arn:<AWS::Partition>:$1:<AWS::Region>:<AWS::AccountId>:');
  return { id: `AwsSolutions-IAM5[Resource::${shown}]`, reason };
}
