import { ExecutionAbortedError, ExecutionError, ExecutionTimeoutError, StateMachine } from 'aws-local-stepfunctions';
import { clock, timerOwner } from '../clock.ts';
import type { Functions, LambdaFunction } from '../lambda/runtime.ts';
import { Problem } from '../problem.ts';
import type { Permissions } from '../template/permissions.ts';
import type { Resource, Resources, Value } from '../template/resource.ts';
import type { Athena } from './athena.ts';
import { type Answer, awsError } from './errors.ts';

/** The engine for Step Functions, in this process; executions end with it. */
export interface Workflows {
  /** Answers StartExecution, DescribeExecution or StopExecution. */
  handle(operation: string, body: Value): Answer;
  /** The state of each running execution: when its wait ends, or `running`. */
  active(): { name: string; until: number | 'running' }[];
  /** State transitions since the start. */
  transitions(): number;
  stop(): void;
}

type Status = 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'TIMED_OUT' | 'ABORTED';
interface Execution {
  arn: string;
  name: string;
  machine: Machine;
  input: string;
  startDate: number;
  status: Status;
  stopDate?: number;
  output?: string;
  error?: string;
  cause?: string;
  runningTasks: number;
  abort: () => void;
}
interface Machine {
  resource: Resource;
  engine: StateMachine;
  tasks: Record<string, Task>;
}

/** The parts of the stack that the tasks of state machines use. */
export interface TaskTargets {
  functions: Functions;
  permissions: Permissions;
  athena: Athena;
}

type Task = (execution: Execution, input: Value) => Promise<Value>;

const maxExecutions = 10_000;
const maxTaskSeconds = 99_999_999;
const athenaQuery = 'arn:aws:states:::athena:startQueryExecution.sync';

/** Prepares the state machines of the template. */
export function openWorkflows(resources: Resources, targets: TaskTargets): Workflows {
  const machines = new Map(
    resources
      .ofType('AWS::StepFunctions::StateMachine')
      .map((resource) => [resource.arn, prepareMachine(resource, targets)]),
  );
  const executions = new Map<string, Execution>();
  const running = new Set<Execution>();
  let transitions = 0;

  const start = (machine: Machine, name: string, input: string): Execution => {
    const execution: Execution = {
      arn: `${machine.resource.arn.replace(':stateMachine:', ':execution:')}:${name}`,
      name,
      machine,
      input,
      startDate: Date.now() / 1000,
      status: 'RUNNING',
      runningTasks: 0,
      abort: () => {},
    };
    executions.set(execution.arn, execution);
    running.add(execution);
    void timerOwner.run(execution, () => run(execution, () => transitions++)).finally(() => running.delete(execution));
    const ended =
      executions.size > maxExecutions && [...executions.values()].find(({ status }) => status !== 'RUNNING');
    if (ended) executions.delete(ended.arn);
    return execution;
  };

  const operations: Record<string, (body: Value) => Answer> = {
    StartExecution({ stateMachineArn, name = crypto.randomUUID(), input = '{}' }) {
      const machine = machines.get(stateMachineArn);
      if (!machine)
        return awsError('states', 'StateMachineDoesNotExist', `State Machine Does Not Exist: '${stateMachineArn}'`);
      if (!/^[^\s<>{}[\]?*"#%\\^|~`$&,;:/]{1,80}$/.test(name))
        return awsError('states', 'InvalidName', `Invalid Name: '${name}'`);
      if (!isJson(input)) return awsError('states', 'InvalidExecutionInput', 'Invalid State Machine Execution Input');
      const earlier = executions.get(`${stateMachineArn.replace(':stateMachine:', ':execution:')}:${name}`);
      if (earlier && (earlier.status !== 'RUNNING' || earlier.input !== input)) {
        return awsError('states', 'ExecutionAlreadyExists', `Execution Already Exists: '${earlier.arn}'`);
      }
      const { arn, startDate } = earlier ?? start(machine, name, input);
      return answer({ executionArn: arn, startDate });
    },
    DescribeExecution({ executionArn }) {
      const execution = executions.get(executionArn);
      return execution
        ? answer(description(execution))
        : awsError('states', 'ExecutionDoesNotExist', `Execution Does Not Exist: '${executionArn}'`);
    },
    StopExecution({ executionArn }) {
      const execution = executions.get(executionArn);
      if (!execution) return awsError('states', 'ExecutionDoesNotExist', `Execution Does Not Exist: '${executionArn}'`);
      // A function that a task has called goes on.
      if (execution.status === 'RUNNING') {
        finish(execution, 'ABORTED', {});
        execution.abort();
      }
      return answer({ stopDate: execution.stopDate });
    },
  };

  return {
    handle(operation, body) {
      const perform = operations[operation];
      return perform
        ? perform(body)
        : awsError('states', 'UnknownOperationException', `The local stack does not have ${operation}.`);
    },
    active: () => [...running].map((execution) => ({ name: execution.name, until: waitsUntil(execution) })),
    transitions: () => transitions,
    stop() {
      for (const execution of running) execution.abort();
    },
  };
}

/** An execution without a running task is in a Wait or a retry pause, which is its only timer. */
function waitsUntil(execution: Execution): number | 'running' {
  return (execution.runningTasks === 0 && clock.nextDue(execution)) || 'running';
}

async function run(execution: Execution, onTransition: () => void): Promise<void> {
  const { engine, tasks, resource } = execution.machine;
  const handlers = Object.entries(tasks).map(([state, task]) => [state, (input: Value) => task(execution, input)]);
  const { result, abort, eventLogs } = engine.run(JSON.parse(execution.input), {
    overrides: { taskResourceLocalHandlers: Object.fromEntries(handlers) },
    context: {
      Execution: { Id: execution.arn, Name: execution.name, RoleArn: resource.properties.RoleArn },
      StateMachine: { Id: resource.arn, Name: resource.name },
    },
  });
  execution.abort = abort;
  void countTransitions(eventLogs, onTransition);
  try {
    finish(execution, 'SUCCEEDED', { output: JSON.stringify(await result) });
  } catch (error) {
    if (error instanceof ExecutionAbortedError) return finish(execution, 'ABORTED', {});
    if (error instanceof ExecutionTimeoutError) return finish(execution, 'TIMED_OUT', { error: 'States.Timeout' });
    const failure = (error instanceof ExecutionError && error.cause instanceof Error ? error.cause : error) as Error;
    finish(execution, 'FAILED', { error: failure.name, cause: failure.message });
    console.error(`The execution ${execution.name} of ${resource.name} failed: ${failure.name}: ${failure.message}`);
  }
}

async function countTransitions(events: AsyncIterable<{ type: string }>, onTransition: () => void): Promise<void> {
  for await (const { type } of events) if (type === 'StateEntered' || type === 'StateRetried') onTransition();
}

function finish(execution: Execution, status: Status, end: Pick<Execution, 'output' | 'error' | 'cause'>): void {
  if (execution.status !== 'RUNNING') return;
  Object.assign(execution, end, { status, stopDate: Date.now() / 1000 });
}

function prepareMachine(resource: Resource, targets: TaskTargets): Machine {
  const definition = JSON.parse(resource.properties.DefinitionString) as Value;
  const tasks: Record<string, Task> = {};
  for (const [name, state] of Object.entries<Value>(definition.States)) {
    if (state.Type !== 'Task') continue;
    if (!state.TimeoutSeconds && !state.TimeoutSecondsPath) state.TimeoutSeconds = maxTaskSeconds;
    const prepare = state.Resource === athenaQuery ? prepareQuery : prepareTask;
    tasks[name] = prepare(resource, name, state, targets);
  }
  const engine = new StateMachine(definition, { validationOptions: { checkArn: false, noValidate: true } });
  return { resource, engine, tasks };
}

function prepareTask(machine: Resource, name: string, state: Value, { functions, permissions }: TaskTargets): Task {
  const target = functions.find(state.Resource);
  if (!target)
    throw new Problem(
      `The task ${name} of ${machine.name} uses ${state.Resource}, which is no function of the template.`,
    );
  checkRole(machine, name, permissions, 'lambda:InvokeFunction', target);
  return async (execution, input) => {
    execution.runningTasks++;
    try {
      return await invokeTask(target, input);
    } finally {
      execution.runningTasks--;
    }
  };
}

function prepareQuery(machine: Resource, name: string, state: Value, { permissions, athena }: TaskTargets): Task {
  const workgroup = athena.workgroup(state.Parameters?.WorkGroup);
  for (const action of ['athena:StartQueryExecution', 'athena:GetQueryExecution', 'athena:StopQueryExecution'])
    checkRole(machine, name, permissions, action, workgroup);
  return async (_execution, input) => athena.run(input);
}

function checkRole(
  { name, properties }: Resource,
  task: string,
  permissions: Permissions,
  action: string,
  target: { name: string; arn: string },
): void {
  if (permissions.allows(properties.RoleArn, action, target.arn)) return;
  throw new Problem(`The role of ${name} does not allow ${action} on ${target.name}, which its task ${task} needs.`);
}

async function invokeTask(target: LambdaFunction, input: Value): Promise<Value> {
  const outcome = await target.invoke(JSON.parse(JSON.stringify(input)));
  if (!outcome.error) return JSON.parse(JSON.stringify(outcome.value));
  const { errorType, errorMessage } = outcome.error;
  throw Object.assign(new Error(JSON.stringify({ errorType, errorMessage })), { name: errorType });
}

function description({ arn, machine, runningTasks: _, abort: _abort, ...shown }: Execution): Value {
  return { executionArn: arn, stateMachineArn: machine.resource.arn, ...shown };
}

function answer(body: unknown): Answer {
  return { status: 200, headers: { 'content-type': 'application/x-amz-json-1.0' }, body: JSON.stringify(body) };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
