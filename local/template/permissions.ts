import { Problem } from '../problem.ts';
import type { Resource, Resources, Value } from './resource.ts';

interface Statement {
  allow: boolean;
  actions: RegExp;
  resources: RegExp;
  /** Tags that the resource must have. */
  tags: [name: string, value: string][];
  /** How the partition key of an item that is written begins, of one at least; none: any item. */
  leading: string[];
}

/** What conditions ask for. */
export interface Circumstances {
  /** Reads the tags of a resource. */
  tagsOf?(resourceArn: string): Record<string, string>;
  /** Whether the call writes an item whose partition key begins with a text. */
  writesUnder?(prefix: string): boolean;
}

/** Evaluates the policies of the roles in the template. */
export interface Permissions {
  /** Decides as IAM does: an explicit Deny wins, otherwise an Allow must match. */
  allows(roleArn: string, action: string, resourceArn: string, circumstances?: Circumstances): boolean;
}

/** Reads the policies of every role; throws a Problem for a policy that it cannot evaluate as AWS does. */
export function readPermissions(resources: Resources): Permissions {
  const byRole = new Map(rolesOf(resources).map((role) => [role.arn, roleStatements(role)]));
  const decisions = new Map<string, boolean>();
  return {
    allows(roleArn, action, resourceArn, { tagsOf = () => ({}), writesUnder = () => false } = {}) {
      const statements = byRole.get(roleArn) ?? [];
      const conditional = statements.filter(
        ({ actions, tags, leading }) => (tags.length > 0 || leading.length > 0) && actions.test(action),
      );
      const leads = conditional.flatMap(({ leading }) => leading).filter((prefix) => writesUnder(prefix));
      if (leads.length > 0 || conditional.some(({ tags }) => tags.length > 0))
        return decide(statements, action, resourceArn, { tags: tagsOf(resourceArn), leads });
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

interface Found {
  tags: Record<string, string>;
  leads: readonly string[];
}

const nothing: Found = { tags: {}, leads: [] };

function decide(policies: Statement[], action: string, resource: string, found = nothing): boolean {
  const matching = policies.filter(
    ({ actions, resources, tags, leading }) =>
      actions.test(action) &&
      resources.test(resource) &&
      tags.every(([name, value]) => found.tags[name] === value) &&
      (leading.length === 0 || leading.some((prefix) => found.leads.includes(prefix))),
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
    const conditions = knownConditions(statement.Condition ?? {});
    const unknown = ['NotAction', 'NotResource', ...(conditions ? [] : ['Condition'])].find(
      (key) => statement[key] !== undefined,
    );
    if (unknown)
      throw new Problem(`The local stack cannot evaluate ${unknown} in the policy ${owner.id} of ${owner.stack}.`);
    return {
      allow: statement.Effect === 'Allow',
      actions: anyOf(statement.Action, 'i'),
      resources: anyOf(statement.Resource, ''),
      ...conditions!,
    };
  });
}

/** Conditions on tags of the resource and on how partition keys begin; undefined when there are others. */
function knownConditions(condition: Value): Pick<Statement, 'tags' | 'leading'> | undefined {
  const { StringEquals = {}, 'ForAnyValue:StringLike': likeAny = {}, ...others } = condition;
  const tags = Object.entries<Value>(StringEquals).map(([key, value]): [string, Value] => [
    /^aws:ResourceTag\/(.+)$/.exec(key)?.[1] ?? '',
    value,
  ]);
  const { 'dynamodb:LeadingKeys': patterns, ...otherKeys } = likeAny;
  const leading = list(patterns).map((pattern: string) => /^([^*?]+)\*$/.exec(pattern)?.[1] ?? '');
  const known =
    Object.keys({ ...others, ...otherKeys }).length === 0 &&
    tags.every(([name, value]) => name && typeof value === 'string') &&
    leading.every(Boolean);
  return known ? { tags, leading } : undefined;
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
