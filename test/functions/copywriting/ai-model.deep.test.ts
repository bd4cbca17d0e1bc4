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
