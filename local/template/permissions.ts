import { Problem } from '../problem.ts';
import type { Resource, Resources, Value } from './resource.ts';

interface Statement {
  allow: boolean;
  actions: RegExp;
  resources: RegExp;
  /** What must hold of the request, too. */
  conditions: Condition[];
}

/** What conditions may ask of a request. */
export interface RequestContext {
  /** The tags of the resource. */
  tags?: () => Record<string, string>;
  /** The partition keys that a call of DynamoDB names. */
  leadingKeys?: () => string[];
  /** The encryption context of a call of KMS. */
  encryptionContext?: () => Record<string, string>;
  /** Whether its body holds a text at all: few calls name a key that a policy asks for, and others need no parsing. */
  holds?: (text: string) => boolean;
}

type Condition = (request: RequestContext) => boolean;

/** Evaluates the policies of the roles in the template. */
export interface Permissions {
  /** Decides as IAM does: an explicit Deny wins, otherwise an Allow must match. */
  allows(roleArn: string, action: string, resourceArn: string, request?: RequestContext): boolean;
}

/** Reads the policies of every role; throws a Problem for a policy that it cannot evaluate as AWS does. */
export function readPermissions(resources: Resources): Permissions {
  const byRole = new Map(rolesOf(resources).map((role) => [role.arn, roleStatements(role)]));
  const matching = new Map<string, Statement[]>();
  return {
    allows(roleArn, action, resourceArn, request = {}) {
      const key = `${roleArn} ${action} ${resourceArn}`;
      const statements = matching.get(key) ?? (byRole.get(roleArn) ?? []).filter(matches(action, resourceArn));
      if (matching.size < 10_000) matching.set(key, statements);
      const holding = statements.filter(({ conditions }) => conditions.every((holds) => holds(request)));
      return holding.length > 0 && holding.every(({ allow }) => allow);
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

function matches(action: string, resource: string): (statement: Statement) => boolean {
  return ({ actions, resources }) => actions.test(action) && resources.test(resource);
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
    const conditions = conditionsIn(statement.Condition);
    const unknown = ['NotAction', 'NotResource', ...(conditions ? [] : ['Condition'])].find(
      (key) => statement[key] !== undefined,
    );
    if (unknown)
      throw new Problem(`The local stack cannot evaluate ${unknown} in the policy ${owner.id} of ${owner.stack}.`);
    return {
      allow: statement.Effect === 'Allow',
      actions: anyOf(statement.Action, 'i'),
      resources: anyOf(statement.Resource, ''),
      conditions: conditions ?? [],
    };
  });
}

/** The conditions of a statement; undefined when one is of a kind that is not known. */
function conditionsIn(condition: Value): Condition[] | undefined {
  const found = Object.entries<Value>(condition ?? {}).flatMap(([operator, asked]) =>
    Object.entries<Value>(asked).map(
      ([key, value]) =>
        tagCondition(operator, key, value) ??
        contextCondition(operator, key, value) ??
        keyCondition(operator, key, value),
    ),
  );
  return found.every((known) => known !== undefined) ? found : undefined;
}

function tagCondition(operator: string, key: string, value: Value): Condition | undefined {
  const [, name] = /^aws:ResourceTag\/(.+)$/.exec(key) ?? [];
  if (operator !== 'StringEquals' || !name || typeof value !== 'string') return undefined;
  return ({ tags }) => tags?.()[name] === value;
}

function contextCondition(operator: string, key: string, value: Value): Condition | undefined {
  const [, name] = /^kms:EncryptionContext:(.+)$/.exec(key) ?? [];
  if (operator !== 'StringEquals' || !name) return undefined;
  return ({ encryptionContext }) => list(value).includes(encryptionContext?.()[name]);
}

/** As IAM does, `ForAllValues` holds where a request names no key, and `ForAnyValue` does not. */
function keyCondition(operator: string, key: string, value: Value): Condition | undefined {
  const [, set, comparison] = /^(ForAnyValue|ForAllValues):String(Equals|Like)$/.exec(operator) ?? [];
  if (!set || key !== 'dynamodb:LeadingKeys') return undefined;
  const pattern = anyOf(value, '');
  const compare = (found: string) => (comparison === 'Like' ? pattern.test(found) : list(value).includes(found));
  if (set === 'ForAllValues') return ({ leadingKeys = () => [] }) => leadingKeys().every(compare);
  const beginnings = list(value).map((asked: string) => asked.split(/[*?]/)[0]!);
  return ({ leadingKeys = () => [], holds = () => true }) => beginnings.some(holds) && leadingKeys().some(compare);
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
