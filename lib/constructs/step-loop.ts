import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import {
  Choice,
  Condition,
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
import { type Grant, handleExecutions, startExecutions } from '../grants.ts';
import { resourceName, type StageSettings } from '../stage.ts';
import { type AlarmText, OperatorAlarm } from './operator-alarm.ts';
import type { OptionalStep } from './optional-step.ts';
import { stepLoopRole } from './step-loop-role.ts';

/** What a loop runs, and whom to tell when it stops. */
export interface StepLoopProps {
  stage: StageSettings;
  operators: ITopic;
  /** Does the next bounded piece of work and says what comes next: `continue`, `wait` for `wait_seconds`, or `done`. */
  step: IFunction;
  /** What the step is given of the execution's input. */
  input: Record<string, unknown>;
  /** The records after which executions are named. */
  records: string;
  /** The environment variable that holds the state machine's ARN, in functions that may start it. */
  variable: string;
  /** What operators read when an execution has failed. */
  failure: AlarmText;
  /** @default none */
  optionalStep?: OptionalStep;
}

/** A state machine named after `name` that calls `step` until there is no more work; all its state is in the table. */
export class StepLoop extends Construct {
  readonly stateMachine: StateMachine;
  /** Start an execution. */
  readonly start: Grant;
  /** See whether an execution still runs. */
  readonly watch: Grant;
  /** Stop an execution. */
  readonly stop: Grant;

  constructor(scope: Construct, name: string, props: StepLoopProps) {
    super(scope, name);
    const { stage, operators, failure } = props;
    const stateMachineName = resourceName(stage, name);
    this.stateMachine = new StateMachine(this, 'StateMachine', {
      stateMachineName,
      definitionBody: DefinitionBody.fromChainable(this.definition(props)),
      // CDK would let it invoke every version of the step, which is more than it needs.
      role: stepLoopRole(this, props.step, props.optionalStep).withoutPolicyUpdates(),
      tracingEnabled: true,
      logs: {
        destination: new LogGroup(this, 'Logs', {
          logGroupName: `/aws/vendedlogs/states/${stateMachineName}`,
          retention: RetentionDays.ONE_MONTH,
          removalPolicy: RemovalPolicy.DESTROY,
        }),
        level: LogLevel.ALL,
      },
    });
    this.start = startExecutions(this.stateMachine, props.variable);
    this.watch = handleExecutions(stateMachineName, props.records, 'DescribeExecution');
    this.stop = handleExecutions(stateMachineName, props.records, 'StopExecution');
    new OperatorAlarm(this, `${name}-failures`, {
      stage,
      operators,
      metric: this.stateMachine.metricFailed({ period: Duration.minutes(5) }),
      threshold: 1,
      ...failure,
    });
  }

  private definition(props: StepLoopProps): IChainable {
    const { optionalStep } = props;
    const next = this.call('Step', props);
    const wait = new Wait(this, 'Wait', { time: WaitTime.secondsPath('$.result.wait_seconds') });
    const whatNext = new Choice(this, 'What next')
      .when(Condition.stringEquals('$.result.next', 'continue'), next)
      .when(Condition.stringEquals('$.result.next', 'wait'), wait.next(next))
      .when(Condition.stringEquals('$.result.next', 'done'), new Succeed(this, 'Done'));
    if (optionalStep) {
      const { name } = optionalStep;
      const after = this.call(`Step after ${name}`, props, { [name]: JsonPath.objectAt(`$.${name}`) });
      const state = optionalStep.state(this);
      state.next(after);
      state.addCatch(after, { resultPath: `$.${name}` });
      after.next(whatNext);
      whatNext.when(Condition.stringEquals('$.result.next', name), state);
    }
    return next.next(whatNext);
  }

  /** A state that calls the step, again when it fails. */
  private call(name: string, { step, input }: StepLoopProps, more: Record<string, unknown> = {}): LambdaInvoke {
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
}
