import { Problem } from '../problem.ts';
import type { Resource, Resources, Value } from './resource.ts';

interface Statement {
  allow: boolean;
  actions: RegExp;
  resources: RegExp;
  /** Tags that the resource must have. */
  tags: [name: string, value: string][];
}

/** Reads the tags of a resource. */
export type TagsOf = (resourceArn: string) => Record<string, string>;

/** Evaluates the policies of the roles in the template. */
export interface Permissions {
  /** Decides as IAM does: an explicit Deny wins, otherwise an Allow must match. */
  allows(roleArn: string, action: string, resourceArn: string, tagsOf?: TagsOf): boolean;
}

/** Reads the policies of every role; throws a Problem for a policy that it cannot evaluate as AWS does. */
export function readPermissions(resources: Resources): Permissions {
  const byRole = new Map(rolesOf(resources).map((role) => [role.arn, roleStatements(role)]));
  const decisions = new Map<string, boolean>();
  return {
    allows(roleArn, action, resourceArn, tagsOf = () => ({})) {
      const statements = byRole.get(roleArn) ?? [];
      if (statements.some(({ actions, tags }) => tags.length > 0 && actions.test(action)))
        return decide(statements, action, resourceArn, tagsOf(resourceArn));
      const key = `${roleArn} ${action} ${resourceArn}`;
      const known = decisions.get(key);
      if (known !== undefined) return known;
      const allowed = decide(statements, action, resourceArn);
      if (decisions.size < 10_000) decisions.set(key, allowed);
      return allowed;
    },
  };
}

/** Whether a Lambda permission of the template allows an AWS service to invoke the function. */
export function mayInvoke(resources: Resources, service: string, { arn }: { arn: string }): boolean {
  return resources
    .ofType('AWS::Lambda::Permission')
    .some(({ properties }) => properties.Principal === service && properties.FunctionName === arn);
}

/** The roles but those of AWS Backup, which does not run here. */
function rolesOf(resources: Resources): Resource[] {
  return resources
    .ofType('AWS::IAM::Role')
    .filter(
      ({ properties }) => !JSON.stringify(properties.AssumeRolePolicyDocument ?? {}).includes('backup.amazonaws.com'),
    );
}

function decide(policies: Statement[], action: string, resource: string, found: Record<string, string> = {}): boolean {
  const matching = policies.filter(
    ({ actions, resources, tags }) =>
      actions.test(action) && resources.test(resource) && tags.every(([name, value]) => found[name] === value),
  );
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
    const tags = tagConditions(statement.Condition);
    const unknown = ['NotAction', 'NotResource', ...(tags ? [] : ['Condition'])].find(
      (key) => statement[key] !== undefined,
    );
    if (unknown)
      throw new Problem(`The local stack cannot evaluate ${unknown} in the policy ${owner.id} of ${owner.stack}.`);
    return {
      allow: statement.Effect === 'Allow',
      actions: anyOf(statement.Action, 'i'),
      resources: anyOf(statement.Resource, ''),
      tags: tags ?? [],
    };
  });
}

/** The conditions on tags of the resource, the only ones that are known; undefined when there are others. */
function tagConditions(condition: Value): Statement['tags'] | undefined {
  const { StringEquals = {}, ...others } = condition ?? {};
  const tags = Object.entries<Value>(StringEquals).map(([key, value]): [string, Value] => [
    /^aws:ResourceTag\/(.+)$/.exec(key)?.[1] ?? '',
    value,
  ]);
  const known = Object.keys(others).length === 0 && tags.every(([name, value]) => name && typeof value === 'string');
  return known ? tags : undefined;
}

/** A regular expression for a list of IAM patterns, in which `*` is any text and `?` any character. */
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
