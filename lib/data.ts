import { type App, CfnOutput, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { HttpApi } from 'aws-cdk-lib/aws-apigatewayv2';
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { encryptWithCustomerKey } from './access/encryption.ts';
import { addSecretsKey, makeDataKeys, type Purpose, useSecrets } from './access/secrets.ts';
import { indexNames, type TableRights, useCanaryItem, useTable } from './access/table-grants.ts';
import { addBackup } from './backup.ts';
import { addBudget } from './budget.ts';
import { addExports, type Exports } from './exports.ts';
import { allow, type Grant } from './grants.ts';
import { addHttpApi } from './http-api.ts';
import { addMail, type Mail } from './mail.ts';
import { resourceName, type StageSettings, stackProps } from './stage.ts';
import { addThrottleAlarms } from './throttling.ts';

/** What holds data or has an address: table, HTTP API, SES configuration, exports and the operators' topic. */
export class DataStack extends Stack {
  readonly stage: StageSettings;
  readonly api: HttpApi;
  /** The address that clients use, without `/v1`. */
  readonly baseUrl: string;
  readonly mail: Mail;
  readonly exports: Exports;
  /** Every alarm is published here: subscribe whoever is on call. */
  readonly operators: Topic;
  readonly tableName: string;
  private readonly table: Table;
  private readonly secretsKey: Key;

  constructor(app: App, stage: StageSettings) {
    super(app, 'Data', stackProps(stage, 'data', 'table, API address, mail configuration.'));
    this.stage = stage;
    this.operators = addOperatorsTopic(this, stage);
    addBudget(this, { stage, operators: this.operators });
    const table = this.addTable();
    this.table = table;
    this.tableName = table.tableName;
    this.secretsKey = addSecretsKey(this, stage);
    addThrottleAlarms(this, { stage, operators: this.operators, tableName: table.tableName, indexNames });
    this.exports = addExports(this, stage);
    this.api = addHttpApi(this, { stage, operators: this.operators });
    // Exported with `baseUrl`, too: CloudFormation refuses to remove what stacks deployed without it still import.
    this.exportValue(this.api.apiEndpoint);
    this.baseUrl = stage.baseUrl ?? this.api.apiEndpoint;
    this.mail = addMail(this, { stage, operators: this.operators });
    const { operators } = this;
    if (stage.backupCopyTo) addBackup(this, { stage, table, operators }, stage.backupCopyTo);
    if (stage.customerKey) encryptWithCustomerKey(this, stage);
    new CfnOutput(this, 'TableName', { value: table.tableName, description: 'Holds everything.' });
    new CfnOutput(this, 'SecretsKeyArn', {
      value: this.secretsKey.keyArn,
      description: 'Without it secrets in the table do not open.',
    });
    new CfnOutput(this, 'Version', { value: stage.version, description: 'The version of the code.' });
    new CfnOutput(this, 'Options', {
      value: JSON.stringify(stage.options),
      description: 'What npm run deploy deployed it with, and keeps.',
    });
  }

  /** Read and write items by key and query the indexes, with the rights given; nobody may Scan. */
  items(rights: TableRights = {}): Grant {
    return useTable(this.table, rights);
  }

  /** Seal and open the secrets of these purposes and of no other. */
  secrets(...purposes: Purpose[]): Grant {
    return useSecrets(this.secretsKey, ...purposes);
  }

  /** Make the data keys of secrets without seeing them. */
  get dataKeys(): Grant {
    return makeDataKeys(this.secretsKey);
  }

  /** Read and change the canary's item, and nothing else. */
  get canaryItem(): Grant {
    return useCanaryItem(this.table);
  }

  private addTable(): Table {
    const key = (name: string) => ({ name, type: AttributeType.STRING });
    const table = new Table(this, 'Table', {
      partitionKey: key('pk'),
      sortKey: key('sk'),
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'ttl',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: this.stage.keepsData,
      // Protected, it would also stop the rollback of a creation that fails.
      removalPolicy: this.stage.keepsData ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
    });
    for (const indexName of indexNames) {
      table.addGlobalSecondaryIndex({
        indexName,
        partitionKey: key(`${indexName}pk`),
        sortKey: key(`${indexName}sk`),
        projectionType: ProjectionType.KEYS_ONLY,
      });
    }
    return table;
  }
}

/** Adds the topic of all alarms, on which only this account's alarms and budgets may publish. */
function addOperatorsTopic(stack: Stack, stage: StageSettings): Topic {
  const topic = new Topic(stack, 'Operators', { topicName: resourceName(stage, 'operators'), enforceSSL: true });
  const publish = allow([topic.topicArn], ['sns:Publish']);
  publish.addPrincipals(...['cloudwatch', 'budgets'].map((name) => new ServicePrincipal(`${name}.amazonaws.com`)));
  publish.addSourceAccountCondition(stack.account);
  topic.addToResourcePolicy(publish);
  return topic;
}
