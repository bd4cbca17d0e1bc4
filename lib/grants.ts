import { type Acknowledgment, Aws } from 'aws-cdk-lib';
import { Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';

/** What a function may do: statements for its role, and the environment that tells it where. */
export interface Grant {
  statements: PolicyStatement[];
  environment?: Record<string, string>;
  /** Why a statement names its resources with a wildcard; without it cdk-nag fails the synthesis. */
  wildcards?: Acknowledgment[];
}

/** The name of the policy in each role, as it was first deployed. */
export const policyName = 'rights';

/** Put messages on a queue; `variable` tells its address. */
export function enqueue(queue: Queue, variable?: string): Grant {
  return {
    statements: [allow([queue.queueArn], ['sqs:SendMessage'])],
    ...(variable && { environment: { [variable]: queue.queueUrl } }),
  };
}

/** Take messages off a queue, as Lambda's event source does in the function's name. */
export function consume(queue: Queue): Grant {
  return {
    statements: [allow([queue.queueArn], ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'])],
  };
}

/** Start executions of a state machine; `variable` tells its ARN. */
export function startExecutions({ stateMachineArn }: StateMachine, variable: string): Grant {
  return {
    statements: [allow([stateMachineArn], ['states:StartExecution'])],
    environment: { [variable]: stateMachineArn },
  };
}

/** Start executions as `startExecutions` does, for a function that the state machine itself needs. */
export function startExecutionsByName(stateMachineName: string, variable: string): Grant {
  const arn = arnOf(`states:stateMachine:${stateMachineName}`);
  return { statements: [allow([arn], ['states:StartExecution'])], environment: { [variable]: arn } };
}

/** See whether executions of a state machine still run, or stop them; they are named after `records` at run time. */
export function handleExecutions(
  stateMachineName: string,
  records: string,
  action: 'DescribeExecution' | 'StopExecution',
): Grant {
  const executions = `states:execution:${stateMachineName}:*`;
  return {
    statements: [allow([arnOf(executions)], [`states:${action}`])],
    wildcards: [wildcard(executions, `Executions are named after ${records} at run time.`)],
  };
}

/** A statement that allows exactly these actions on exactly these resources. */
export function allow(resources: string[], actions: string[]): PolicyStatement {
  return new PolicyStatement({ actions, resources });
}

/** Forbids to change or delete rows of the audit log; that none is written twice is a condition of each write. */
export function keepAuditLog(tableArn: string): PolicyStatement {
  return new PolicyStatement({
    effect: Effect.DENY,
    actions: ['dynamodb:UpdateItem', 'dynamodb:DeleteItem', 'dynamodb:BatchWriteItem'],
    resources: [tableArn],
    conditions: { 'ForAnyValue:StringLike': { 'dynamodb:LeadingKeys': ['AUDIT#*'] } },
  });
}

/** The ARN, in this account and region, of a resource written `service:resource`. */
export function arnOf(resource: string): string {
  return resource.replace(/^(\w+):/, `arn:${Aws.PARTITION}:$1:${Aws.REGION}:${Aws.ACCOUNT_ID}:`);
}

/** Answers cdk-nag's finding on a wildcard in `resource`. */
export function wildcard(resource: string, reason: string): Acknowledgment {
  const shown = resource.replace(/^(?!arn:)(\w+):/, 'arn:<AWS::Partition>:$1:<AWS::Region>:<AWS::AccountId>:');
  return { id: `AwsSolutions-IAM5[Resource::${shown}]`, reason };
}
