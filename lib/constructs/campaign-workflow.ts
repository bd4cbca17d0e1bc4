import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyDocument, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import {
  Choice,
  Condition,
  CustomState,
  DefinitionBody,
  type IChainable,
  JitterType,
  JsonPath,
  LogLevel,
  StateMachine,
  Succeed,
  TaskInput,
  Wait,
  WaitTime,
} from 'aws-cdk-lib/aws-stepfunctions';
import { LambdaInvoke } from 'aws-cdk-lib/aws-stepfunctions-tasks';
import { Construct } from 'constructs';
import { allow, wildcard } from '../rights.ts';
import { resourceName, type StageSettings } from '../stage.ts';
import { OperatorAlarm } from './operator-alarm.ts';
import type { WarehouseQueries } from './warehouse-queries.ts';

/** What drives a campaign, and whom to tell when it stops. */
export interface CampaignWorkflowProps {
  stage: StageSettings;
  operators: ITopic;
  /** Does the next bounded piece of a campaign's work and says what comes next. */
  advance: IFunction;
  /** Runs the query of a warehouse audience. */
  queries: WarehouseQueries;
}

/** The state machine of a campaign: it asks `advance` for the next piece of work until there is none; all state lies in the table. */
export class CampaignWorkflow extends Construct {
  readonly stateMachine: StateMachine;
  readonly name: string;

  constructor(scope: Construct, id: string, props: CampaignWorkflowProps) {
    super(scope, id);
    const { stage, operators, advance, queries } = props;
    this.name = resourceName(stage, 'campaign');
    this.stateMachine = new StateMachine(this, 'StateMachine', {
      stateMachineName: this.name,
      definitionBody: DefinitionBody.fromChainable(this.definition(advance, queries)),
      // What CDK would add, the right to invoke every version of `advance`, is more than it needs.
      role: this.role(advance, queries).withoutPolicyUpdates(),
      tracingEnabled: true,
      logs: {
        destination: new LogGroup(this, 'Logs', {
          logGroupName: `/aws/vendedlogs/states/${this.name}`,
          retention: RetentionDays.ONE_MONTH,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        level: LogLevel.ALL,
      },
    });
    new OperatorAlarm(this, 'campaign-failures', {
      stage,
      operators,
      metric: this.stateMachine.metricFailed({ period: Duration.minutes(5) }),
      threshold: 1,
      impact: 'A campaign has stopped moving; the reconciler will start it again.',
      action: 'Read the error in the failed execution; if it keeps failing, mend the cause.',
      runbook: 'campaign-failures',
    });
  }

  private definition(advance: IFunction, queries: WarehouseQueries): IChainable {
    const next = this.ask('Advance', advance);
    const queried = this.ask('Advance after query', advance, { query: JsonPath.objectAt('$.query') });
    const query = runQuery(this, queries);
    const wait = new Wait(this, 'Wait', { time: WaitTime.secondsPath('$.result.wait_seconds') });
    const whatNext = new Choice(this, 'What next')
      .when(Condition.stringEquals('$.result.next', 'continue'), next)
      .when(Condition.stringEquals('$.result.next', 'wait'), wait.next(next))
      .when(Condition.stringEquals('$.result.next', 'query'), query)
      .when(Condition.stringEquals('$.result.next', 'done'), new Succeed(this, 'Done'));
    query.next(queried);
    query.addCatch(queried, { resultPath: '$.query' });
    queried.next(whatNext);
    return next.next(whatNext);
  }

  /** A state that invokes `advance`; a failure is tried again. */
  private ask(name: string, advance: IFunction, more: Record<string, unknown> = {}): LambdaInvoke {
    const state = new LambdaInvoke(this, name, {
      lambdaFunction: advance,
      payloadResponseOnly: true,
      payload: TaskInput.fromObject({
        team_id: JsonPath.numberAt('$.team_id'),
        campaign_id: JsonPath.numberAt('$.campaign_id'),
        run: JsonPath.numberAt('$.run'),
        ...more,
      }),
      resultPath: '$.result',
      retryOnServiceExceptions: false,
    });
    state.addRetry({
      errors: ['States.ALL'],
      interval: Duration.seconds(2),
      backoffRate: 2,
      maxAttempts: 8,
      maxDelay: Duration.minutes(1),
      jitterStrategy: JitterType.FULL,
    });
    return state;
  }

  private role(advance: IFunction, queries: WarehouseQueries): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('states.amazonaws.com'),
      inlinePolicies: {
        rights: new PolicyDocument({
          statements: [
            allow([advance.functionArn], ['lambda:InvokeFunction']),
            ...queries.statements,
            allow(
              ['*'],
              [
                'logs:CreateLogDelivery',
                'logs:GetLogDelivery',
                'logs:UpdateLogDelivery',
                'logs:DeleteLogDelivery',
                'logs:ListLogDeliveries',
                'logs:PutResourcePolicy',
                'logs:DescribeResourcePolicies',
                'logs:DescribeLogGroups',
                'xray:PutTraceSegments',
                'xray:PutTelemetryRecords',
                'xray:GetSamplingRules',
                'xray:GetSamplingTargets',
              ],
            ),
          ],
        }),
      },
    });
    Validations.of(role).acknowledge(
      wildcard('*', 'Log delivery and tracing name no resources.'),
      ...queries.wildcards,
    );
    return role;
  }
}

/** Runs a query and waits for its end; the same token again gives the same query, so a step that is repeated queries once. */
function runQuery(scope: Construct, { workgroup }: WarehouseQueries): CustomState {
  return new CustomState(scope, 'Run query', {
    stateJson: {
      Type: 'Task',
      Resource: 'arn:aws:states:::athena:startQueryExecution.sync',
      Parameters: {
        'QueryString.$': '$.result.query.sql',
        'ClientRequestToken.$': '$.result.query.token',
        WorkGroup: workgroup,
      },
      ResultSelector: { 'location.$': '$.QueryExecution.ResultConfiguration.OutputLocation' },
      ResultPath: '$.query',
      Retry: [{ ErrorEquals: ['Athena.TooManyRequestsException'], IntervalSeconds: 5, BackoffRate: 2, MaxAttempts: 6 }],
      TimeoutSeconds: 3_600,
    },
  });
}
