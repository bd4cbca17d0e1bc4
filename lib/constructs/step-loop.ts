import { type Acknowledgment, Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { PolicyDocument, type PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import {
  Choice,
  Condition,
  type CustomState,
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
import { type AlarmText, OperatorAlarm } from './operator-alarm.ts';

/** Something that a step may ask for by its name in `next`; the step is asked again with what came of it under that name. */
export interface Detour {
  name: string;
  /** The state that does it; its result, or its error, lies in `$.<name>`. */
  state(scope: Construct): CustomState;
  statements: PolicyStatement[];
  wildcards: Acknowledgment[];
}

/** What a loop runs, and whom to tell when it stops. */
export interface StepLoopProps {
  stage: StageSettings;
  operators: ITopic;
  /** Does the next bounded piece of work and says what comes next: `continue`, `wait` for `wait_seconds`, or `done`. */
  step: IFunction;
  /** What the step is given of the execution's input. */
  input: Record<string, unknown>;
  /** What operators read when an execution has failed. */
  failure: AlarmText;
  /** @default none */
  detour?: Detour;
}

/** A state machine named after `name` that asks `step` for the next piece of work until there is none; all state lies in the table. */
export class StepLoop extends Construct {
  readonly stateMachine: StateMachine;
  readonly name: string;

  constructor(scope: Construct, name: string, props: StepLoopProps) {
    super(scope, name);
    const { stage, operators, failure } = props;
    this.name = resourceName(stage, name);
    this.stateMachine = new StateMachine(this, 'StateMachine', {
      stateMachineName: this.name,
      definitionBody: DefinitionBody.fromChainable(this.definition(props)),
      // What CDK would add, the right to invoke every version of the step, is more than it needs.
      role: this.role(props).withoutPolicyUpdates(),
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
    new OperatorAlarm(this, `${name}-failures`, {
      stage,
      operators,
      metric: this.stateMachine.metricFailed({ period: Duration.minutes(5) }),
      threshold: 1,
      ...failure,
    });
  }

  private definition(props: StepLoopProps): IChainable {
    const { detour } = props;
    const next = this.ask('Step', props);
    const wait = new Wait(this, 'Wait', { time: WaitTime.secondsPath('$.result.wait_seconds') });
    const whatNext = new Choice(this, 'What next')
      .when(Condition.stringEquals('$.result.next', 'continue'), next)
      .when(Condition.stringEquals('$.result.next', 'wait'), wait.next(next))
      .when(Condition.stringEquals('$.result.next', 'done'), new Succeed(this, 'Done'));
    if (detour) {
      const { name } = detour;
      const back = this.ask(`Step after ${name}`, props, { [name]: JsonPath.objectAt(`$.${name}`) });
      const way = detour.state(this);
      way.next(back);
      way.addCatch(back, { resultPath: `$.${name}` });
      back.next(whatNext);
      whatNext.when(Condition.stringEquals('$.result.next', name), way);
    }
    return next.next(whatNext);
  }

  /** A state that runs the step; a failure is tried again. */
  private ask(name: string, { step, input }: StepLoopProps, more: Record<string, unknown> = {}): LambdaInvoke {
    const state = new LambdaInvoke(this, name, {
      lambdaFunction: step,
      payloadResponseOnly: true,
      payload: TaskInput.fromObject({ ...input, ...more }),
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

  private role({ step, detour }: StepLoopProps): Role {
    const role = new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('states.amazonaws.com'),
      inlinePolicies: {
        rights: new PolicyDocument({
          statements: [
            allow([step.functionArn], ['lambda:InvokeFunction']),
            ...(detour?.statements ?? []),
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
      ...(detour?.wildcards ?? []),
    );
    return role;
  }
}
