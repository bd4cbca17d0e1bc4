import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idle } from '../support/campaign.ts';
import { type Receiver, signers, startReceiver } from '../support/receiver.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { newTeam, type Team } from '../support/team.ts';
import { advance, attemptsOf, endpointOf, sendTest, subscribe, until } from '../support/webhooks.ts';

let stack: Stack;
let receiver: Receiver;
let team: Team;
let paths = 0;

beforeAll(async () => {
  [stack, receiver] = await Promise.all([startStack({ loopbackWebhooks: true }), startReceiver()]);
  team = await newTeam({ origin: stack.origin });
});
afterAll(async () => {
  await stack?.stop();
  await receiver?.stop();
});

/** A place at the receiver that no other test uses, and its endpoint. */
async function place(events?: string[], owner = team) {
  const path = `/hook-${++paths}`;
  const endpoint = await subscribe(owner, receiver.url + path, events);
  return { path, id: endpoint.id as number, secret: endpoint.secret as string, got: () => receiver.to(path) };
}

const stackSeconds = async () => Date.parse((await team.api('GET', '/me')).headers.get('date') ?? '') / 1000;

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
    expect(signers(request!, [secret, 'another'], Date.now() / 1000)).toEqual([secret]);
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
    expect(await endpointOf(team, id)).toMatchObject({ consecutive_failures: 0, last_delivered_at: expect.any(String) });
    expect(path).toBe(request!.path);
  });
});
