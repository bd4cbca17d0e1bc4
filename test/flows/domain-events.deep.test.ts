import { describe, expect, it } from 'vitest';
import { control } from '../support/team.ts';
import { advance, inject, messagesTo, signUp, stack } from './domain-events.setup.ts';

describe('a confirmation message', () => {
  it('is sent once though its domain event could not be queued, came twice, or met a throttle', async () => {
    const refused = { service: 'sqs', operation: 'SendMessageBatch', error: 'ServiceUnavailable', count: 6 };
    await inject({ ...refused, containing: 'mailwright-dev-notices' });
    const unqueued = await signUp();
    await control('DELETE', '/faults', undefined, stack.origin);
    await advance(180);
    expect(await messagesTo(unqueued.email)).toBe(1);

    await inject({ service: 'sqs', operation: '*', error: 'duplicate', rate: 1 });
    const twice = await signUp();
    expect(await messagesTo(twice.email)).toBe(1);
    await control('DELETE', '/faults', undefined, stack.origin);

    await inject({ service: 'ses', operation: 'SendEmail', error: 'TooManyRequestsException', count: 2 });
    const throttled = await signUp();
    expect(await messagesTo(throttled.email)).toBe(1);
  });
});
