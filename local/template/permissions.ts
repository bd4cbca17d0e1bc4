import { Problem } from '../problem.ts';
import type { Resource, Resources, Value } from './resource.ts';

interface Statement {
  allow: boolean;
  actions: RegExp;
  resources: RegExp;
}

/** Answers whether the policies of a role in the template allow an action on a resource. */
export interface Permissions {
  /** As IAM decides: an explicit Deny wins, else some Allow must match. */
  allows(roleArn: string, action: string, resourceArn: string): boolean;
}

/** Reads the policies of every role; throws a Problem for a policy that the local stack cannot evaluate as AWS would. */
export function readPermissions(resources: Resources): Permissions {
  const byRole = new Map(resources.ofType('AWS::IAM::Role').map((role) => [role.arn, roleStatements(role)]));
  const decided = new Map<string, boolean>();
  return {
    allows(roleArn, action, resourceArn) {
      const question = `${roleArn} ${action} ${resourceArn}`;
      let answer = decided.get(question);
      if (answer === undefined) {
        answer = decide(byRole.get(roleArn) ?? [], action, resourceArn);
        if (decided.size < 10_000) decided.set(question, answer);
      }
      return answer;
    },
  };
}

/** Whether a Lambda permission of the template lets a service of AWS invoke the function. */
export function mayInvoke(
  resources: Resources,
  service: string,
  { name, arn }: { name: string; arn: string },
): boolean {
  return resources
    .ofType('AWS::Lambda::Permission')
    .some(({ properties }) => properties.Principal === service && [name, arn].includes(properties.FunctionName));
}

function decide(policies: Statement[], action: string, resource: string): boolean {
  const matching = policies.filter(({ actions, resources }) => actions.test(action) && resources.test(resource));
  return matching.length > 0 && matching.every(({ allow }) => allow);
}

function roleStatements(role: Resource): Statement[] {
  const [managed] = role.properties.ManagedPolicyArns ?? [];
  if (managed)
    throw new Problem(
      `The local stack does not know the managed policy ${managed} of ${role.id}: grant its actions one by one.`,
    );
  return (role.properties.Policies ?? []).flatMap((policy: Value) => statements(policy.PolicyDocument, role));
}

function statements(document: { Statement: Value }, owner: Resource): Statement[] {
  return list(document.Statement).map((statement) => {
    const unknown = ['Condition', 'NotAction', 'NotResource'].find((key) => statement[key] !== undefined);
    if (unknown)
      throw new Problem(`The local stack cannot evaluate ${unknown} in the policy ${owner.id} of ${owner.stack}.`);
    return {
      allow: statement.Effect === 'Allow',
      actions: anyOf(statement.Action, 'i'),
      resources: anyOf(statement.Resource, ''),
    };
  });
}

/** One expression for a list of IAM patterns, in which `*` is any text and `?` any character. */
function anyOf(patterns: Value, flags: string): RegExp {
  const alternatives = list(patterns).map((pattern: string) =>
    pattern
      .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.'),
  );
  return new RegExp(`^(?:${alternatives.join('|')})$`, `s${flags}`);
}

function list(value: Value): Value[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}
