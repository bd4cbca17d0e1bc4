import { describe, expect, it } from 'vitest';
import { signers } from '../../support/receiver.ts';
import { attemptsOf, endpointOf, sendTest, until } from '../../support/webhooks.ts';
import { forward, moved, place, receiver, stack, team } from './webhooks.setup.ts';

const stackSeconds = () => Date.now() / 1000 + moved;

describe('a test event', () => {
  it('is delivered, signed, and listed with the answer', async () => {
    const { id, secret, got, path } = await place(['contact.created']);
    await sendTest(stack.origin, team, id);
    const [request] = got();
    expect(request!.body).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
      type: 'webhook.test',
      created_at: expect.stringMatching(/^20.*\+00:00$/),
      data: { webhook_id: id, message: expect.any(String) },
    });
    expect(request!.headers).toMatchObject({
      'content-type': 'application/json',
      'service-event-id': request!.body.id,
      'service-event-type': 'webhook.test',
    });
    expect(signers(request!, [secret, 'another'], stackSeconds())).toEqual([secret]);
    expect(await attemptsOf(team, id)).toEqual([
      {
        id: expect.any(Number),
        event_type: 'webhook.test',
        event_id: request!.body.id,
        payload: request!.body,
        response_status: 200,
        response_body: 'ok',
        attempt: 1,
        succeeded: true,
        error: null,
      },
    ]);
    expect(await endpointOf(team, id)).toMatchObject({
      consecutive_failures: 0,
      last_delivered_at: expect.any(String),
    });
    expect(path).toBe(request!.path);
  });
});

describe('a delivery that fails', () => {
  it('has eight attempts with the same event, with pauses of 5 s, 5 min, 30 min, 2 h, 5 h, 10 h and 10 h', async () => {
    const { id, secret, path, got } = await place();
    receiver.behave(path, (_request, response) => response.writeHead(500).end('no'));
    await sendTest(stack.origin, team, id);
    await forward(100_000);
    await until(() => got().length >= 8);
    const moments = got().map(({ headers }) => Number(/^t=(\d+)/.exec(String(headers['service-signature']))![1]));
    const late = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000].map(
      (pause, index) => moments[index + 1]! - moments[index]! - pause,
    );
    for (const seconds of late) expect([0, 1, 2]).toContain(seconds);
    for (const [index, request] of got().entries())
      expect(signers(request, [secret], moments[index]!)).toEqual([secret]);
    await forward(29 * 86_400 - 100_000);
    expect(got()).toHaveLength(8);
    expect(new Set(got().map(({ raw }) => raw)).size).toBe(1);
    const attempts = await attemptsOf(team, id);
    expect(attempts.map(({ attempt }) => attempt)).toEqual([8, 7, 6, 5, 4, 3, 2, 1]);
    expect(new Set(attempts.map((one) => one.id)).size).toBe(8);
    for (const attempt of attempts)
      expect(attempt).toMatchObject({
        succeeded: false,
        error: 'status 500',
        response_status: 500,
        response_body: 'no',
      });
    expect(await endpointOf(team, id)).toMatchObject({
      consecutive_failures: 8,
      is_active: true,
      last_delivered_at: null,
    });
    await forward(3 * 86_400);
    expect(await attemptsOf(team, id)).toEqual([]);
  });

  it('ends with the attempt that succeeds, and the failures are reset', async () => {
    const { id, path, got } = await place();
    receiver.behave(path, (_request, response) => response.writeHead(got().length < 3 ? 503 : 204).end());
    await sendTest(stack.origin, team, id);
    await forward(5);
    expect(await endpointOf(team, id)).toMatchObject({ consecutive_failures: 2 });
    await forward(301);
    await until(async () => (await endpointOf(team, id)).consecutive_failures === 0);
    await forward(86_400);
    expect((await attemptsOf(team, id)).map(({ succeeded, error }) => [succeeded, error])).toEqual([
      [true, null],
      [false, 'status 503'],
      [false, 'status 503'],
    ]);
  });

  it('is retried at the current URL of its endpoint, and ends when the endpoint is deleted', async () => {
    const [moving, deleted, off] = [await place(), await place(), await place()];
    for (const { path, id } of [moving, deleted, off]) {
      receiver.behave(path, (_request, response) => response.writeHead(500).end());
      await sendTest(stack.origin, team, id);
    }
    await team.api('PATCH', `/webhooks/${moving.id}`, { url: `${receiver.url}/moved` });
    await team.api('DELETE', `/webhooks/${deleted.id}`);
    await team.api('PATCH', `/webhooks/${off.id}`, { is_active: false });
    await forward(100_000);
    expect([moving.got().length, receiver.to('/moved').length]).toEqual([1, 1]);
    expect([deleted.got().length, off.got().length]).toEqual([1, 1]);
  });
});

describe('an endpoint', () => {
  it('is switched off at once by 410', async () => {
    const { id, path, got } = await place();
    receiver.behave(path, (_request, response) => response.writeHead(410).end());
    await sendTest(stack.origin, team, id);
    await until(async () => !(await endpointOf(team, id)).is_active);
    await forward(86_400);
    expect(got()).toHaveLength(1);
    expect((await team.api('POST', `/webhooks/${id}/test`)).body.code).toBe('not_applicable');
  });

  it('signs with two secrets, the new one first, for 24 hours after a rotation', async () => {
    const { id, secret, got } = await place();
    const { body } = await team.api('POST', `/webhooks/${id}/rotate-secret`, undefined, {
      'idempotency-key': 'rotate',
    });
    const renewed = body.data.secret;
    expect(renewed).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const again = await team.api('POST', `/webhooks/${id}/rotate-secret`, undefined, { 'idempotency-key': 'rotate' });
    expect(again.body).toEqual(body);
    await sendTest(stack.origin, team, id);
    await forward(86_400 - 60);
    await sendTest(stack.origin, team, id);
    await forward(120);
    await sendTest(stack.origin, team, id);
    const both = [secret, renewed];
    const [first, second, third] = got();
    expect(signers(first!, both, stackSeconds() - 86_460)).toEqual(both);
    expect(first!.headers['service-signature']).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);
    const newOnly = {
      ...first!,
      headers: { 'service-signature': String(first!.headers['service-signature']).replace(/,v1=[^,]*$/, '') },
    };
    expect(signers(newOnly, both, stackSeconds() - 86_460)).toEqual([renewed]);
    expect(signers(second!, both, stackSeconds() - 120)).toEqual(both);
    expect(signers(third!, both, stackSeconds())).toEqual([renewed]);
  });
});
