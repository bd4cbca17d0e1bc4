import { describe, expect, it } from 'vitest';
import { control } from '../../support/team.ts';
import { better, edit, model, modelId, polish, stack, used } from './ai-model.setup.ts';

describe('POST /ai/polish with a model', () => {
  it('counts every tweak when the table fails while a reservation is returned', async () => {
    // Every attempt at the next update fails: the reservation cannot be returned.
    const fault = { service: 'dynamodb', operation: 'UpdateItem', error: 'ThrottlingException', count: 5 };
    model.answers(async () => {
      await control('POST', '/faults', fault, stack.origin);
      return { status: 400, error: 'ValidationException' };
    }, edit(better));
    const key = { 'idempotency-key': 'given back' };
    expect((await polish({}, key)).status).toBe(503);
    expect((await control('GET', '/faults', undefined, stack.origin)).body.data).toEqual([]);
    expect((await polish({}, key)).body.data.model_used).toBe(modelId);
    expect((await used()).ai_tweaks.used).toBe(1);
  });
});

it('retries two throttles, and is 503 and not counted when they go on; the same request succeeds later', async () => {
  const throttle = { status: 429, error: 'ThrottlingException' };
  model.answers(throttle, throttle, edit(better));
  expect((await polish()).body.data.model_used).toBe(modelId);
  model.answers(throttle);
  const key = { 'idempotency-key': 'throttled' };
  const busy = await polish({}, key);
  expect([busy.status, busy.body.code, busy.headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
  expect((await used()).ai_tweaks.used).toBe(1);
  model.answers(edit(better));
  const later = await polish({}, key);
  expect([later.status, later.body.data.model_used]).toEqual([200, modelId]);
  expect((await used()).ai_tweaks.used).toBe(2);
});

it('is 503 when the connection breaks, and when Bedrock is down for the stack', async () => {
  model.answers('hangs up');
  expect((await polish()).status).toBe(503);
  model.answers(edit(better));
  await control(
    'POST',
    '/faults',
    { service: 'bedrock', operation: 'Converse', error: 'ThrottlingException' },
    stack.origin,
  );
  expect((await polish()).status).toBe(503);
  expect(model.asked).toHaveLength(0);
  await control('DELETE', '/faults', undefined, stack.origin);
  expect((await polish()).status).toBe(200);
});

it('times out a slow model before the API does: 503, not counted', async () => {
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  model.answers(async () => {
    reached.resolve();
    await released.promise;
    return edit(better);
  });
  const answer = polish();
  await reached.promise;
  await control('POST', '/clock', { advance_seconds: 25 }, stack.origin);
  const { status, body } = await answer;
  released.resolve();
  expect([status, body.code]).toEqual([503, 'unavailable']);
  const { ai_tweaks, ai_tokens } = await used();
  expect(ai_tweaks.used).toBe(0);
  // The model may have answered too late: Bedrock bills that.
  expect(ai_tokens.used).toBeGreaterThan(4_096);
});

it('uses the embedded engine for a text that is too long for the model, without calling it', async () => {
  model.answers(edit(better));
  const { body } = await polish({ content: `<p>${'In order to win, you play. '.repeat(300)}</p>` });
  expect(body.data).toMatchObject({ model_used: null, tokens_used: 0 });
  expect(body.data.tweaked_content).toContain('<p>To win, you play.');
  expect(model.asked).toEqual([]);
});
