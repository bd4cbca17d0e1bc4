import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { Campaigns } from './campaigns.ts';
import { ServiceFunction } from './constructs/service-function.ts';
import type { WorkQueue } from './constructs/work-queue.ts';
import type { DataStack } from './data.ts';
import { allow, type Grant } from './grants.ts';
import {
  addSendingDomains,
  handleSuppressedDestinations,
  readSendingAccount,
  readSendingDomains,
  removeSendingDomains,
} from './mail-grants.ts';

/** What operators' commands act on. */
export interface OperationTargets {
  campaigns: Campaigns;
  domainEvents: WorkQueue;
  /** Every queue: operators may redrive each. */
  queues: WorkQueue[];
}

/** Adds the function behind `npm run admin`: whoever may invoke it in this account is an operator. */
export function addOperations(scope: Construct, data: DataStack, targets: OperationTargets): void {
  const operate = new ServiceFunction(scope, 'operate', {
    stage: data.stage,
    grants: [
      data.items({ platform: true, deletes: 'items' }),
      data.secrets('signing'),
      data.dataKeys,
      redrive(Stack.of(scope), targets.queues),
      addSendingDomains(data.stage),
      readSendingDomains(),
      removeSendingDomains(data.stage),
      handleSuppressedDestinations(),
      readSendingAccount(),
      targets.campaigns.workflow.start,
      targets.campaigns.workflow.watch,
      data.exports.read,
      targets.domainEvents.enqueue,
    ],
    timeout: Duration.seconds(60),
  });
  new CfnOutput(scope, 'OperateFunctionName', {
    value: operate.lambda.functionName,
    description: "Runs the operators' commands of npm run admin.",
  });
}

/** Put messages of dead-letter queues back on the queues that they came from. */
function redrive(stack: Stack, queues: readonly WorkQueue[]): Grant {
  const addresses = queues.map(({ node, queue, deadLetters }) => [node.id, [deadLetters.queueUrl, queue.queueUrl]]);
  return {
    statements: [
      allow(
        queues.map(({ deadLetters }) => deadLetters.queueArn),
        ['sqs:ReceiveMessage', 'sqs:DeleteMessage'],
      ),
      allow(
        queues.map(({ queue }) => queue.queueArn),
        ['sqs:SendMessage'],
      ),
    ],
    environment: { REDRIVES: stack.toJsonString(Object.fromEntries(addresses)) },
  };
}
