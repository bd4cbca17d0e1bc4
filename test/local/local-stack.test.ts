import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { newFolder, type SampleStack, startSample } from './sample-stack.ts';

const day = 86_400;

/** For tests that do not change the clock or shared data. */
let shared: SampleStack;

beforeAll(async () => {
  shared = await startSample({ whole: 'file', environment: { SECRET_OF_THE_SHELL: 'x' } });
  return async () => void (await shared.end());
});

it('invokes the function of a route with the event that API Gateway sends', async () => {
  const { origin } = shared;
  const response = await fetch(`${origin}/sample?x=1&x=2&y=a%20b`, {
    method: 'POST',
    body: JSON.stringify({ operation: 'event' }),
    headers: { 'content-type': 'application/json', 'X-Forwarded-For': '203.0.113.9' },
  });
  expect(response.headers.get('x-sample')).toBe('yes');
  const event = (await response.json()) as Record<string, never>;
  expect(event).toMatchObject({
    version: '2.0',
    routeKey: 'POST /sample',
    rawPath: '/sample',
    rawQueryString: 'x=1&x=2&y=a%20b',
    queryStringParameters: { x: '1,2', y: 'a b' },
    headers: { 'x-forwarded-for': '203.0.113.9, 127.0.0.1' },
    requestContext: { http: { method: 'POST', sourceIp: '127.0.0.1' }, domainName: new URL(origin).host },
    isBase64Encoded: false,
  });
});

it('prefers the most specific route, decodes path parameters and uses $default for the rest', async () => {
  const { call, origin } = shared;
  const { body } = await call('/items/a%20b%2Fc', { operation: 'event' });
  expect(body.pathParameters).toEqual({ item: 'a b/c' });
  expect((await call('/items/special')).body).toBe('GET /items/special');
  expect((await call('/items/1/2')).body).toBe('$default');
  const binary = await fetch(`${origin}/items/1`, { method: 'POST', body: new Uint8Array([0xff, 0]) });
  expect(binary.status).toBe(500); // The sample parses the body as JSON, but it is base64.
});

it('refuses a body over 10 MB, or over 6 MB when it is escaped, and hides the error of a function', async () => {
  const { call } = shared;
  const large = await call('/sample', 'x'.repeat(10 * 1024 * 1024 + 1));
  expect([large.status, large.body]).toEqual([413, { message: 'Request Entity Too Large' }]);
  // The function gets the body as a JSON string, and Lambda takes 6 MB of event.
  const escaped = await call('/sample', JSON.stringify('"'.repeat(1_600_000)));
  expect([escaped.status, escaped.body]).toEqual([413, { message: 'Request Entity Too Large' }]);
  expect((await call('/sample', JSON.stringify('x'.repeat(6_200_000)))).status).not.toBe(413);
  const failed = await call('/sample', { operation: 'fail' });
  expect([failed.status, failed.body]).toEqual([500, { message: 'Internal Server Error' }]);
});

it('gives each function its own environment and log', async () => {
  const { operate, data, awsEndpoint } = shared;
  const environment = await operate('environment');
  expect(environment).toMatchObject({ TABLE: 'Sample-Table', AWS_ACCESS_KEY_ID: 'api', AWS_ENDPOINT_URL: awsEndpoint });
  expect(environment).not.toHaveProperty('SECRET_OF_THE_SHELL');
  expect(readFileSync(join(data, 'logs/sample-api.log'), 'utf8')).toContain('a line of the api function');
});

it('denies a call that the role of the caller does not allow', async () => {
  const { operate } = shared;
  expect(await operate('put', 'allowed')).toMatchObject({ status: 200 });
  const denied = await operate('scan');
  expect(denied).toMatchObject({ status: 400, __type: expect.stringContaining('AccessDeniedException') });
  expect(denied.message).toContain('not authorized to perform: dynamodb:Scan');
});

it('delivers delayed messages when the clock reaches them', async () => {
  const { operate, advance, idle } = await startSample();
  await operate('send', { MessageBody: 'late', DelaySeconds: 900 });
  await idle();
  expect(await operate('get', 'late')).toBe('');
  await advance(901);
  expect((await operate('get', 'late')).count.N).toBe('1');
});

it('delivers only failed messages again, after the visibility timeout, until the maximum receive count', async () => {
  const { operate, advance, idle, call } = await startSample();
  await operate('send', { MessageBody: 'fail' });
  await operate('send', { MessageBody: 'good' });
  await expect.poll(async () => (await operate('get', 'good'))?.count?.N).toBe('1');
  expect((await operate('get', 'fail')).count.N).toBe('1');
  expect((await call('/_local/idle?timeout_ms=0')).body.waiting_for.join()).toContain('gets 1 failed messages back');
  await advance(29);
  expect((await operate('get', 'fail')).count.N).toBe('1');
  await advance(5 * 60);
  await idle();
  expect((await operate('get', 'fail')).count.N).toBe('3');
  expect((await operate('get', 'good')).count.N).toBe('1');
});

it('starts one execution per name, and refuses the name with another input', async () => {
  const { operate } = shared;
  const input = JSON.stringify({ id: 'once', wait: 3600 });
  const first = await operate('start', { name: 'once', input });
  expect(await operate('start', { name: 'once', input })).toEqual(first);
  const refused = await operate('start', { name: 'once', input: '{}' });
  expect(refused).toMatchObject({ status: 400, __type: 'ExecutionAlreadyExists' });
  const { executionArn } = first;
  expect(await operate('describe', { executionArn })).toMatchObject({ status: 'RUNNING', input });
  expect(await operate('describe', { executionArn: `${executionArn}x` })).toMatchObject({
    __type: 'ExecutionDoesNotExist',
  });
});

it('stops an execution that waits, for good', async () => {
  const { operate, advance, idle } = await startSample();
  const { executionArn } = await operate('start', { input: JSON.stringify({ id: 'stopped', wait: day }) });
  await idle();
  const before = await operate('get', 'stopped');
  await operate('stop', { executionArn });
  await operate('stop', { executionArn });
  expect(await operate('stop', { executionArn: `${executionArn}x` })).toMatchObject({ status: 400 });
  await advance(2 * day);
  expect(await operate('describe', { executionArn })).toMatchObject({ status: 'ABORTED' });
  expect(await operate('get', 'stopped')).toEqual(before);
});

it('waits in workflows on the clock, for longer than a native timer supports', async () => {
  const { operate, advance, idle } = await startSample();
  const { executionArn } = await operate('start', { input: JSON.stringify({ id: 'long', wait: 40 * day }) });
  await idle();
  await advance(39 * day);
  expect((await operate('get', 'long')).count.N).toBe('1');
  await advance(2 * day);
  expect((await operate('get', 'long')).count.N).toBe('2');
  await advance(40 * day);
  expect((await operate('describe', { executionArn })).status).toBe('SUCCEEDED');
});

it('retries a task after its interval, and is not idle while a retry is due soon', async () => {
  const { operate, advance, call } = await startSample();
  await operate('start', { input: JSON.stringify({ id: 'flaky', wait: day }) });
  await expect.poll(async () => (await operate('get', 'flaky'))?.count?.N).toBe('1');
  await advance(45);
  const { status, body } = await call('/_local/idle?timeout_ms=100');
  expect([status, body.idle]).toEqual([504, false]);
  expect(body.waiting_for.join()).toMatch(/workflow .* waits until/);
  await advance(30);
  expect((await operate('get', 'flaky')).count.N).toBe('2');
});

it('fires a minute rate at once, then every minute, and about six times at most in one advance', async () => {
  const { operate, advance, idle } = await startSample();
  const ticks = async () => Number((await operate('get', 'ticks')).count.N);
  await idle();
  expect(await ticks()).toBe(1);
  await advance(150);
  expect(await ticks()).toBe(4); // at 60 s, at 120 s, and at the end
  await advance(30 * day);
  expect(await ticks()).toBeGreaterThan(8);
  expect(await ticks()).toBeLessThan(13);
});

it('retries a scheduled event as its EventInvokeConfig says, then keeps it with its error', async () => {
  const { operate, advance, idle } = await startSample({
    change: (resources) => {
      const { Properties } = resources.tick as { Properties: { Environment: { Variables: object } } };
      Object.assign(Properties.Environment.Variables, { FAIL: 'always' });
      Object.assign(resources.EveryMinute as object, {
        Properties: {
          ScheduleExpression: 'rate(1 day)',
          Targets: [{ Id: 'tick', Arn: { 'Fn::GetAtt': ['tick', 'Arn'] } }],
        },
      });
      resources.Retries = {
        Type: 'AWS::Lambda::EventInvokeConfig',
        Properties: {
          FunctionName: { Ref: 'tick' },
          MaximumRetryAttempts: 1,
          DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': ['Dead', 'Arn'] } } },
        },
      };
    },
  });
  await idle();
  expect((await operate('get', 'ticks')).count.N).toBe('1');
  expect((await operate('receive')).Messages ?? []).toEqual([]);
  await advance(61);
  const { Messages } = await operate('receive');
  expect(JSON.parse(Messages[0].Body)).toMatchObject({
    requestContext: { condition: 'RetriesExhausted', approximateInvokeCount: 2 },
    requestPayload: { 'detail-type': 'Scheduled Event' },
    responsePayload: { errorType: 'TypeError', errorMessage: 'no tick' },
  });
});

it('keeps data and clock after a kill -9, which also ends its engine', async () => {
  const first = await startSample();
  await first.advance(10 * day);
  await first.operate('put', 'kept');
  const { value } = await first.operate('get', 'kept');
  const engine = readFileSync(join(first.data, 'dynamodb.pid'), 'utf8');
  await first.end('SIGKILL');
  const second = await startSample({ data: first.data });
  await expect.poll(() => existsSync(`/proc/${engine}`)).toBe(false);
  expect((await second.operate('get', 'kept')).value).toEqual(value);
  await second.operate('put', 'later');
  expect(Date.parse((await second.operate('get', 'later')).value.S)).toBeGreaterThan(Date.parse(value.S));
  expect(await second.end()).toBe(0);
});

it('delivers messages again that were not deleted before a kill -9', async () => {
  const first = await startSample();
  await first.operate('send', { MessageBody: 'later', DelaySeconds: 600 });
  await first.operate('send', { MessageBody: 'fail-once' });
  await first.operate('send', { MessageBody: 'done' });
  await expect.poll(async () => (await first.operate('get', 'fail-once'))?.count?.N).toBe('1');
  await expect.poll(async () => (await first.operate('get', 'done'))?.count?.N).toBe('1');
  await first.end('SIGKILL');
  const second = await startSample({ data: first.data });
  await expect.poll(async () => (await second.operate('get', 'fail-once')).count.N).toBe('2');
  expect(await second.operate('get', 'later')).toBe('');
  await second.advance(600);
  expect((await second.operate('get', 'later')).count.N).toBe('1');
  expect((await second.operate('get', 'done')).count.N).toBe('1');
});

it('says what to do about a busy port, a folder in use, damaged data and a missing permission', async () => {
  const { data, origin } = shared;
  await expect(startSample({ port: Number(new URL(origin).port) })).rejects.toThrow(/Port \d+ is in use\. .*PORT=/);
  await expect(startSample({ data })).rejects.toThrow(/Another local stack is running on the data folder .*--data DIR/);
  const damaged = newFolder();
  writeFileSync(join(damaged, 'dynamodb.sqlite'), 'not a database, but longer than its header'.repeat(50));
  await expect(startSample({ data: damaged })).rejects.toThrow(
    /The data folder is damaged: .*dynamodb\.sqlite.*delete it to begin afresh/s,
  );
  await expect(
    startSample({ change: (resources) => Object.assign(resources, { MachineRole: { Type: 'AWS::IAM::Role' } }) }),
  ).rejects.toThrow(/does not allow lambda:InvokeFunction on sample-task/);
});

it('names a resource type that it does not support', async () => {
  const change = (resources: Record<string, unknown>) => {
    resources.Cache = { Type: 'AWS::ElastiCache::CacheCluster' };
  };
  await expect(startSample({ change })).rejects.toThrow(
    'does not support AWS::ElastiCache::CacheCluster (Cache in Sample)',
  );
});

it('says on a platform without an engine which one to start instead', async () => {
  const arm = "data:text/javascript,Object.defineProperty(process,'arch',{value:'arm'})";
  await expect(startSample({ environment: { NODE_OPTIONS: `--import=${arm}` } })).rejects.toThrow(
    /no DynamoDB engine for linux-arm .*: start DynamoDB Local instead.*docker run .*AWS_ENDPOINT_URL_DYNAMODB=/s,
  );
});

it('uses the DynamoDB at AWS_ENDPOINT_URL_DYNAMODB', async () => {
  const targets: unknown[] = [];
  // DynamoDB Local keeps the tables of each access key apart.
  const callers = new Set<unknown>();
  const engine = createServer((request, response) => {
    targets.push(request.headers['x-amz-target']);
    callers.add(/Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1]);
    response.end('{}');
  });
  await new Promise<void>((done) => engine.listen(0, '127.0.0.1', done));
  const { port } = engine.address() as { port: number };
  const stack = await startSample({ environment: { AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}` } });
  await stack.operate('put', 'one');
  engine.closeAllConnections();
  engine.close();
  expect(targets[0]).toBe('DynamoDB_20120810.CreateTable');
  expect(targets).toContain('DynamoDB_20120810.PutItem');
  expect([...callers]).toEqual([expect.stringMatching(/^local[0-9a-f]{12}$/)]);
  await expect(startSample({ environment: { AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:9' } })).rejects.toThrow(
    'No DynamoDB answers at http://127.0.0.1:9',
  );
});
