import { Arn, ArnFormat, Duration, Validations } from 'aws-cdk-lib';
import {
  BackupPlan,
  BackupPlanRule,
  BackupResource,
  BackupVault,
  BackupVaultEvents,
  type IBackupVault,
} from 'aws-cdk-lib/aws-backup';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { AccountPrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { resourceName, type StageSettings } from './stage.ts';

/**
 * Backs the table up every day and copies the backup into the vault `to`, of another account or region. It tells the
 * operators of a copy that fails.
 */
export function addBackup(
  scope: Construct,
  { stage, table, operators }: { stage: StageSettings; table: Table; operators: Topic },
  to: string,
): void {
  const plan = new BackupPlan(scope, 'BackupPlan', {
    backupPlanName: resourceName(stage, 'backup'),
    backupVault: addVault(scope, stage, operators, to),
  });
  // The vault notifies of copies; of a backup that fails, which has no copy, events do.
  new Rule(scope, 'BackupFailed', {
    ruleName: resourceName(stage, 'backup-failed'),
    eventPattern: {
      source: ['aws.backup'],
      detailType: ['Backup Job State Change'],
      detail: { state: ['FAILED', 'ABORTED', 'EXPIRED'], backupVaultName: [resourceName(stage, 'backup')] },
    },
    targets: [new SnsTopic(operators)],
  });
  plan.addRule(
    new BackupPlanRule({
      ruleName: 'daily',
      scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
      // The table's own point-in-time recovery goes back further.
      deleteAfter: Duration.days(7),
      copyActions: [
        {
          destinationBackupVault: BackupVault.fromBackupVaultArn(scope, 'BackupCopies', to),
          deleteAfter: Duration.days(35),
        },
      ],
    }),
  );
  const selection = plan.addSelection('BackupSelection', { resources: [BackupResource.fromDynamoDbTable(table)] });
  const policy = 'arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup';
  const reason = 'AWS keeps this policy in step with what AWS Backup calls.';
  Validations.of(selection).acknowledge({ id: `AwsSolutions-IAM4[Policy::${policy}]`, reason });
}

/** AWS copies into another account only what a key of the customer encrypts, which that account may use. */
function addVault(scope: Construct, stage: StageSettings, operators: Topic, to: string): IBackupVault {
  const key = new Key(scope, 'BackupKey', { enableKeyRotation: true, removalPolicy: stage.dataRemoval });
  const { account } = Arn.split(to, ArnFormat.COLON_RESOURCE_NAME);
  const use = ['Decrypt', 'DescribeKey', 'CreateGrant', 'Encrypt', 'GenerateDataKey*', 'ReEncrypt*'];
  key.grant(new AccountPrincipal(account), ...use.map((action) => `kms:${action}`));
  return new BackupVault(scope, 'BackupVault', {
    backupVaultName: resourceName(stage, 'backup'),
    encryptionKey: key,
    notificationTopic: operators,
    notificationEvents: [BackupVaultEvents.COPY_JOB_FAILED],
    removalPolicy: stage.dataRemoval,
  });
}
