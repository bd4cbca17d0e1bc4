import type { IncomingHttpHeaders } from 'node:http';
import { operationOf } from '../ses/operations.ts';
import type { Environment, Resources } from '../template/resource.ts';
import { leadingKeysIn, transactionActions } from './leading-keys.ts';

/** An IAM permission that a call needs. */
export interface Permission {
  action: string;
  resource: string;
  /** The partition keys that a call of DynamoDB names, which policies may ask for. */
  leadingKeys?: () => string[];
  /** The encryption context of a call of KMS. */
  encryptionContext?: () => Record<string, string>;
  /** Whether its body holds a text. */
  holds?: (text: string) => boolean;
}

/** A call of an AWS operation, read from its request. */
export interface AwsCall {
  service: string;
  operation: string;
  /** The caller's access key; a function's is its logical id. */
  caller: string;
  /** The permissions that the caller needs, all of them. */
  permissions(): Permission[];
}

const credential = /Credential=([^/]+)\/\d+\/[^/]+\/([^/]+)\//;

/** Reads service, operation and caller of a signed request; undefined when it is not signed. */
export function readCall(
  request: { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer },
  environment: Environment,
  resources: Resources,
): AwsCall | undefined {
  const [, caller, service] = credential.exec(request.headers.authorization ?? '') ?? [];
  if (!caller || !service) return undefined;
  const [operation, permissions] = readOperation(service, request, environment, resources);
  return { service, operation, caller, permissions };
}

type ReadCall = [operation: string, permissions: () => Permission[]];

function readOperation(service: string, request: Request, environment: Environment, resources: Resources): ReadCall {
  const { body } = request;
  const arn = (service: string, rest: string) =>
    `arn:aws:${service}:${environment.region}:${environment.accountId}:${rest}`;
  const target = String(request.headers['x-amz-target'] ?? '').split('.')[1] ?? '';
  switch (service) {
    case 'dynamodb':
      return [
        target,
        () => {
          const keysOf = leadingKeysIn(target, body, resources);
          const needed = dynamoDbPermissions(target, body, (table) => arn('dynamodb', `table/${table}`));
          const holds = (text: string) => body.includes(JSON.stringify(text).slice(1, -1));
          return needed.map((permission) => ({ ...permission, leadingKeys: () => keysOf(permission.action), holds }));
        },
      ];
    case 'sqs': {
      const queue = () => arn('sqs', textField(body, 'QueueUrl').split('/').at(-1) ?? '');
      return [target, () => [{ action: `sqs:${target.replace(/Batch$/, '')}`, resource: queue() }]];
    }
    case 'states': {
      const resource = () => textField(body, 'executionArn') || textField(body, 'stateMachineArn');
      return [target, () => [{ action: `states:${target}`, resource: resource() }]];
    }
    case 'kms': {
      const input = () => JSON.parse(body.toString());
      const encryptionContext = () => input().EncryptionContext ?? {};
      return [target, () => [{ action: `kms:${target}`, resource: input().KeyId ?? '', encryptionContext }]];
    }
    case 'lambda': {
      const name = decodeURIComponent(request.path.split('/')[3] ?? '');
      const invoked = resources.ofType('AWS::Lambda::Function').find((known) => known.name === name);
      const operation = lambdaOperation(request);
      const action = operation === 'Invoke' ? 'lambda:InvokeFunction' : `lambda:${operation}`;
      return [operation, () => [{ action, resource: invoked?.arn ?? name }]];
    }
    case 'ses':
      return sesCall(request, arn);
    case 'bedrock':
      return bedrockCall(request, environment);
    case 's3':
      return s3Call(request);
    default:
      return [target || request.path, () => []];
  }
}

function lambdaOperation({ method, path }: Request): string {
  if (path.includes('/event-source-mappings/')) return 'UpdateEventSourceMapping';
  if (!path.includes('/concurrency')) return 'Invoke';
  return method === 'DELETE' ? 'DeleteFunctionConcurrency' : 'PutFunctionConcurrency';
}

/** Reads a top-level string of a JSON body without parsing the rest of it. */
function textField(body: Buffer, name: string): string {
  const found = new RegExp(`"${name}"\\s*:\\s*("(?:[^"\\\\]|\\\\.)*")`).exec(body.toString())?.[1];
  return found ? (JSON.parse(found) as string) : '';
}

const writeOrTable =
  /"(Put|Update|Delete|ConditionCheck|Get)":\{"(?!(?:S|N|B|SS|NS|BS|M|L|NULL|BOOL)")|"TableName":"([^"]+)"/g;

function dynamoDbPermissions(operation: string, body: Buffer, tableArn: (table: string) => string): Permission[] {
  if (operation.startsWith('Transact')) {
    // A transaction is large: it is searched, not parsed. No attribute value looks like a write or a table's name.
    const permissions = new Map<string, Permission>();
    let action = '';
    for (const [, kind, table] of body.toString().matchAll(writeOrTable)) {
      if (kind) action = `dynamodb:${transactionActions[kind]}`;
      else permissions.set(action + table, { action, resource: tableArn(table!) });
    }
    return [...permissions.values()];
  }
  const action = `dynamodb:${operation}`;
  if (operation.startsWith('Batch')) {
    const { RequestItems = {} } = JSON.parse(body.toString()) as { RequestItems?: object };
    return Object.keys(RequestItems).map((table) => ({ action, resource: tableArn(table) }));
  }
  const table = tableArn(textField(body, 'TableName'));
  const index = operation === 'Query' || operation === 'Scan' ? textField(body, 'IndexName') : '';
  return [{ action, resource: index ? `${table}/index/${index}` : table }];
}

type Request = Parameters<typeof readCall>[0];

function sesCall(request: Request, arn: (service: string, rest: string) => string): ReadCall {
  const { operation, name } = operationOf(request);
  const { body } = request;
  const resources = (): string[] => {
    if (/^Send/.test(operation)) {
      const domain = textField(body, 'FromEmailAddress').replace(/^.*@|>\s*$/g, '');
      const configurationSet = textField(body, 'ConfigurationSetName');
      return [
        arn('ses', `identity/${domain}`),
        ...(configurationSet ? [arn('ses', `configuration-set/${configurationSet}`)] : []),
      ];
    }
    if (operation === 'CreateEmailIdentity') return [arn('ses', `identity/${textField(body, 'EmailIdentity')}`)];
    if (/Suppressed/.test(operation)) return ['*'];
    return [name ? arn('ses', `identity/${name}`) : '*'];
  };
  // Who creates an identity with tags must be allowed to tag it.
  const tags = operation === 'CreateEmailIdentity' && body.includes('"Tags"') ? ['ses:TagResource'] : [];
  const actions = [`ses:${operation}`, ...tags];
  return [operation, () => resources().flatMap((resource) => actions.map((action) => ({ action, resource })))];
}

const regionalProfile = /^(?:us|eu|apac|ap|jp|au|ca|sa|me|af|il|us-gov|global)\.(.+)$/;

function bedrockCall({ path }: Request, { region, accountId }: Environment): ReadCall {
  const [, id = '', verb = ''] = /^\/model\/([^/]+)\/([a-z-]+)/.exec(path) ?? [];
  const operation = verb.replace(/(?:^|-)([a-z])/g, (_all, letter: string) => letter.toUpperCase()) || path;
  const model = decodeURIComponent(id);
  const foundation = (name: string) => `arn:aws:bedrock:${region}::foundation-model/${name}`;
  const profile = `arn:aws:bedrock:${region}:${accountId}:inference-profile/${model}`;
  const [, behind] = regionalProfile.exec(model) ?? [];
  const resources = model.startsWith('arn:') ? [model] : behind ? [profile, foundation(behind)] : [foundation(model)];
  // Bedrock checks Converse as bedrock:InvokeModel.
  return [operation, () => resources.map((resource) => ({ action: 'bedrock:InvokeModel', resource }))];
}

const s3Operations: Record<string, string> = { GET: 'GetObject', PUT: 'PutObject', DELETE: 'DeleteObject' };

function s3Call({ method, path }: Request): ReadCall {
  const object = decodeURIComponent((path.split('?')[0] ?? '').slice(1)).replace(/^([^/]+)\/$/, '$1');
  const lists = method === 'GET' && !object.includes('/');
  const operation = lists ? 'ListObjectsV2' : (s3Operations[method] ?? method);
  const action = lists ? 's3:ListBucket' : `s3:${operation}`;
  return [operation, () => [{ action, resource: `arn:aws:s3:::${object}` }]];
}
