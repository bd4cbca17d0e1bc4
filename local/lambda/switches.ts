import { type Answer, awsError } from '../aws/errors.ts';
import type { AwsRequest } from '../aws/in-process.ts';
import type { Resources } from '../template/resource.ts';

/** What operators have stopped: functions that may not run, and event source mappings and rules that are disabled. */
export class Switches {
  readonly #off = new Set<string>();
  readonly #listeners: (() => void)[] = [];

  /** Whether the resource of an ARN is stopped. */
  isOff(arn: string): boolean {
    return this.#off.has(arn);
  }

  /** Calls a listener when a resource is stopped or started. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Answers PutFunctionConcurrency (of 0 only), DeleteFunctionConcurrency, UpdateEventSourceMapping (whether it is
   * enabled), DisableRule and EnableRule; undefined for any other call. What is stopped starts with the stack.
   */
  handle(resources: Resources, operation: string, { path, body }: AwsRequest): Answer | undefined {
    const input = JSON.parse(body.toString() || '{}');
    const name = decodeURIComponent(path.split('?')[0]!.split('/')[3] ?? '');
    switch (operation) {
      case 'PutFunctionConcurrency':
        if (input.ReservedConcurrentExecutions !== 0)
          return awsError('lambda', 'InvalidParameterValueException', 'The local stack can only reserve nothing.');
        return this.#turn(resources, 'AWS::Lambda::Function', name, true, { ReservedConcurrentExecutions: 0 });
      case 'DeleteFunctionConcurrency':
        return this.#turn(resources, 'AWS::Lambda::Function', name, false);
      case 'UpdateEventSourceMapping': {
        const State = input.Enabled ? 'Enabling' : 'Disabling';
        return this.#turn(resources, 'AWS::Lambda::EventSourceMapping', name, !input.Enabled, { UUID: name, State });
      }
      case 'DisableRule':
      case 'EnableRule':
        return this.#turn(resources, 'AWS::Events::Rule', input.Name, operation === 'DisableRule');
    }
    return undefined;
  }

  #turn(resources: Resources, type: string, name: string, off: boolean, answer?: object): Answer {
    const found = resources.ofType(type).find((resource) => resource.name === name);
    if (!found) return awsError('lambda', 'ResourceNotFoundException', `There is no ${type} ${name}.`);
    if (off) this.#off.add(found.arn);
    else this.#off.delete(found.arn);
    for (const listener of this.#listeners) listener();
    return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer ?? {}) };
  }
}
