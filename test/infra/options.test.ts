import { expect, test } from 'vitest';
import { workerConcurrency } from '../../lib/concurrency.ts';
import { Synthesized } from './synthesized.ts';

const kept = { accountConcurrency: '100', baseUrl: 'https://m.example.com' };
const context = { ...kept, version: 'v1-2-gabc', webhookAllowLoopback: 'true' };
const small = await Synthesized.stage('dev', undefined, context);

/** The maximum of each event source mapping, by worker. */
const maxima = (app: Synthesized) =>
  Object.fromEntries(
    app
      .all('AWS::Lambda::EventSourceMapping')
      .map(({ properties: { FunctionName, ScalingConfig } }) => [
        app.functionName(app.target(FunctionName)),
        ScalingConfig.MaximumConcurrency,
      ]),
  );

test('the workers of a small account take what is planned for it, and those of any other all they want', async () => {
  expect(maxima(small)).toEqual(workerConcurrency(100));
  expect(maxima(await Synthesized.stage('dev'))).toEqual({
    'apply-feedback': 50,
    'deliver-webhook': 100,
    'handle-notices': 10,
    'run-job': 100,
    'send-page': 20,
    'send-steps': 20,
  });
});

/** The concurrency that functions have reserved, by function. */
const reserved = (app: Synthesized) =>
  app
    .all('AWS::Lambda::Function')
    .flatMap(({ properties: { FunctionName, ReservedConcurrentExecutions: own } }) =>
      own === undefined ? [] : [[FunctionName, own]],
    );

test.each([
  [{ measuredConcurrency: '10' }, []],
  [{ measuredConcurrency: '1000' }, [['mailwright-dev-ai', 50]]],
  [{ accountConcurrency: '300', measuredConcurrency: '1000' }, [['mailwright-dev-ai', 15]]],
])('the AI tools alone have a concurrency of their own, as %o allows', async (numbers, expected) => {
  expect(reserved(await Synthesized.stage('dev', undefined, { ...numbers }))).toEqual(expected);
});

test('a stage whose account is not known has no concurrency of its own', async () => {
  expect(reserved(await Synthesized.stage('dev'))).toEqual([]);
});

test('a stage tells its version, and what the next deployment keeps', () => {
  const output = (name: string) => small.outputs.find(({ id }) => id === name)?.value;
  expect(output('Version')).toBe(context.version);
  expect(JSON.parse(String(output('Options')))).toEqual(kept);
});

test.each(['0', 'many', '-1', '1e9'])('refuses %s functions at once', async (accountConcurrency) => {
  await expect(Synthesized.stage('dev', undefined, { accountConcurrency })).rejects.toThrow(
    'accountConcurrency must be',
  );
});

test.each(['0', '1.5', 'all', '-1'])('refuses %s gigabytes as what a query may scan', async (warehouseScanLimitGb) => {
  await expect(Synthesized.stage('dev', undefined, { warehouseScanLimitGb })).rejects.toThrow(
    'warehouseScanLimitGb must be',
  );
});

test('the data stack has fewer resources than CloudFormation describes at once, for what destroy says', () => {
  expect(small.stacks.Data!.length).toBeLessThan(100);
});
