import { type App, CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import { HttpApi, HttpStage, LogGroupLogDestination } from 'aws-cdk-lib/aws-apigatewayv2';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { AttributeType, BillingMode, ProjectionType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { BlockPublicAccess, Bucket, BucketEncryption, type BucketProps } from 'aws-cdk-lib/aws-s3';
import { ConfigurationSet, EmailSendingEvent, EventDestination } from 'aws-cdk-lib/aws-ses';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { OperatorAlarm } from './constructs/operator-alarm.ts';
import { allow, indexNames } from './rights.ts';
import { resourceName, type StageSettings } from './stage.ts';

/** What the system stands on: the table, the API's address, the way mail leaves and its feedback arrives, the operators' topic. */
export class DataStack extends Stack {
  readonly table: Table;
  readonly api: HttpApi;
  /** The address that clients use, without `/v1`. */
  readonly baseUrl: string;
  readonly configurationSet: ConfigurationSet;
  /** For messages to one person at a time: reports back, but tracks neither opens nor clicks. */
  readonly directConfigurationSet: ConfigurationSet;
  /** Where SES publishes what became of each message. */
  readonly feedback: Topic;
  /** Into which customers' warehouses unload their audiences, each team under a prefix of its own. */
  readonly exports: Bucket;
  /** How other stacks know that bucket's ARN. */
  readonly exportsArn: { value: string; exportedAs: string };
  /** Every alarm is published here: subscribe whoever is on call. */
  readonly operators: Topic;
  private readonly stage: StageSettings;

  constructor(app: App, stage: StageSettings) {
    super(app, 'Data', {
      stackName: resourceName(stage, 'data'),
      description: `Mailwright ${stage.name}: table, API address, mail configuration.`,
    });
    this.stage = stage;
    this.operators = this.addOperatorsTopic();
    this.table = this.addTable();
    this.exports = this.addExports();
    const exportedAs = resourceName(stage, 'exports-arn');
    this.exportsArn = { value: this.exportValue(this.exports.bucketArn, { name: exportedAs }), exportedAs };
    this.api = this.addApi();
    this.baseUrl = stage.baseUrl ?? this.api.apiEndpoint;
    this.feedback = new Topic(this, 'Feedback', { topicName: resourceName(stage, 'feedback'), enforceSSL: true });
    this.configurationSet = this.addConfigurationSet('Mail', [EmailSendingEvent.OPEN, EmailSendingEvent.CLICK]);
    this.directConfigurationSet = this.addConfigurationSet('DirectMail');
    this.addReputationAlarm('bounce', 'Reputation.BounceRate', 0.05);
    this.addReputationAlarm('complaint', 'Reputation.ComplaintRate', 0.001);
    new CfnOutput(this, 'ExportBucketName', {
      value: this.exports.bucketName,
      description: "Warehouses unload a team's audience under teams/<team id>/.",
    });
    new CfnOutput(this, 'TableName', { value: this.table.tableName, description: 'Holds everything.' });
  }

  private addOperatorsTopic(): Topic {
    const topic = new Topic(this, 'Operators', { topicName: resourceName(this.stage, 'operators'), enforceSSL: true });
    const publish = allow([topic.topicArn], ['sns:Publish']);
    publish.addPrincipals(new ServicePrincipal('cloudwatch.amazonaws.com'));
    publish.addSourceAccountCondition(this.account);
    topic.addToResourcePolicy(publish);
    return topic;
  }

  private addTable(): Table {
    const key = (name: string) => ({ name, type: AttributeType.STRING });
    const table = new Table(this, 'Table', {
      partitionKey: key('pk'),
      sortKey: key('sk'),
      billingMode: BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'ttl',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: this.stage.dataRemoval === RemovalPolicy.RETAIN,
      removalPolicy: this.stage.dataRemoval,
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

  /** Exports are copies of what a warehouse holds: they expire. */
  private addExports(): Bucket {
    const bucket = (id: string, keptDays: number, props: BucketProps = {}) =>
      new Bucket(this, id, {
        encryption: BucketEncryption.S3_MANAGED,
        blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
        enforceSSL: true,
        lifecycleRules: [
          { expiration: Duration.days(keptDays), abortIncompleteMultipartUploadAfter: Duration.days(1) },
        ],
        removalPolicy: this.stage.dataRemoval,
        ...props,
      });
    return bucket('Exports', 30, { serverAccessLogsBucket: bucket('ExportAccessLog', 90) });
  }

  private addApi(): HttpApi {
    const api = new HttpApi(this, 'Api', { apiName: resourceName(this.stage, 'api'), createDefaultStage: false });
    const accessLog = new LogGroup(this, 'AccessLog', {
      logGroupName: `/aws/vendedlogs/${resourceName(this.stage, 'access')}`,
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    new HttpStage(this, 'Stage', {
      httpApi: api,
      stageName: '$default',
      autoDeploy: true,
      // API keys have their own limits; this one protects the account from a flood.
      throttle: { rateLimit: 2000, burstLimit: 4000 },
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        // The route, not the path: paths hold email addresses and unsubscribe tokens.
        format: AccessLogFormat.custom(
          JSON.stringify({
            request_id: '$context.requestId',
            time: '$context.requestTimeEpoch',
            route: '$context.routeKey',
            status: '$context.status',
            latency_ms: '$context.responseLatency',
            response_bytes: '$context.responseLength',
            error: '$context.integrationErrorMessage',
          }),
        ),
      },
    });
    new OperatorAlarm(this, 'api-errors', {
      stage: this.stage,
      operators: this.operators,
      metric: api.metricServerError({ period: Duration.minutes(5), statistic: 'sum' }),
      threshold: 5,
      impact: 'API requests fail with 5xx.',
      action: "Find the failing route in the access log, then its function's log by request id.",
      runbook: 'api-errors',
    });
    return api;
  }

  /** What is not listed in `tracked` SES does not add to messages: no pixel, no rewritten links. */
  private addConfigurationSet(id: 'Mail' | 'DirectMail', tracked: EmailSendingEvent[] = []): ConfigurationSet {
    const configurationSet = new ConfigurationSet(this, id, {
      configurationSetName: resourceName(this.stage, id === 'Mail' ? 'mail' : 'direct-mail'),
      reputationMetrics: true,
      // Bounds how long a message can be under way, and so how long its recipient can be unknown.
      maxDeliveryDuration: Duration.hours(4),
    });
    configurationSet.addEventDestination('Feedback', {
      configurationSetEventDestinationName: 'feedback',
      destination: EventDestination.snsTopic(this.feedback),
      // Not SEND: it would cost a dollar a million and say nothing that the response to the call has not said.
      events: [
        EmailSendingEvent.REJECT,
        EmailSendingEvent.BOUNCE,
        EmailSendingEvent.COMPLAINT,
        EmailSendingEvent.DELIVERY,
        EmailSendingEvent.RENDERING_FAILURE,
        EmailSendingEvent.DELIVERY_DELAY,
        ...tracked,
      ],
    });
    return configurationSet;
  }

  /** Rings at the rate where AWS puts an account under review. */
  private addReputationAlarm(kind: string, metricName: string, threshold: number): void {
    new OperatorAlarm(this, `${kind}-rate`, {
      stage: this.stage,
      operators: this.operators,
      metric: new Metric({ namespace: 'AWS/SES', metricName, statistic: 'avg', period: Duration.hours(1) }),
      threshold,
      impact: `The account's ${kind} rate has reached the level at which AWS reviews it and may stop all sending.`,
      action: 'Find the team that causes it and suspend its sending.',
      runbook: 'sending-reputation',
    });
  }
}
