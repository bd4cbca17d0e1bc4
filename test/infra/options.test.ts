import { expect, test } from 'vitest';
import { workerConcurrency } from '../../lib/concurrency.ts';
import { Synthesized } from './synthesized.ts';

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
  const small = await Synthesized.stage('dev', undefined, { accountConcurrency: '100' });
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

test('a stage tells its version, and what the next deployment keeps', async () => {
  const context = {
    version: 'v1-2-gabc',
    accountConcurrency: '100',
    baseUrl: 'https://m.example.com',
    webhookAllowLoopback: 'true',
  };
  const { outputs } = await Synthesized.stage('dev', undefined, context);
  const output = (name: string) => outputs.find(({ id }) => id === name)?.value;
  expect(output('Version')).toBe('v1-2-gabc');
  expect(JSON.parse(String(output('Options')))).toEqual({
    accountConcurrency: '100',
    baseUrl: 'https://m.example.com',
  });
});

test.each(['0', 'many', '-1', '1e9'])('refuses %s functions at once', async (accountConcurrency) => {
  await expect(Synthesized.stage('dev', undefined, { accountConcurrency })).rejects.toThrow(
    'accountConcurrency must be',
  );
});
