import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { ask } from '../../shared/aws/model.ts';
import { type FakeModel, startModel } from '../support/bedrock.ts';

let model: FakeModel;

beforeAll(async () => {
  model = await startModel();
  vi.stubEnv('AWS_ENDPOINT_URL_BEDROCK_RUNTIME', model.endpoint);
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
});
afterAll(() => {
  model.close();
  vi.unstubAllEnvs();
});

const question = (deadline: number) => ({
  instructions: 'Answer.',
  material: 'Text',
  answer: { name: 'answer', description: 'The answer', schema: z.object({}) },
  maxTokens: 10,
  deadline,
});

it('is sure that a throttled question has not run when its time ends before the next attempt', async () => {
  model.answers({ status: 429, error: 'ThrottlingException' });
  vi.spyOn(Math, 'random').mockReturnValue(120);
  await expect(ask('model-1', question(Date.now() + 50_000))).rejects.toMatchObject({ mayHaveRun: false });
  expect(model.asked).toHaveLength(1);
});
