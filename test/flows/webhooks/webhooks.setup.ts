import { afterAll, beforeAll } from 'vitest';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { newTeam, type Team } from '../../support/team.ts';
import { advance, subscribe } from '../../support/webhooks.ts';

export let stack: Stack;
export let receiver: Receiver;
export let team: Team;
let paths = 0;

beforeAll(async () => {
  [stack, receiver] = await Promise.all([startStack({ context: { webhookAllowLoopback: 'true' } }), startReceiver()]);
  team = await newTeam({ origin: stack.origin });
});
afterAll(async () => {
  await stack?.stop();
  await receiver?.stop();
});

/** An endpoint with a URL that no other test uses. */
export async function place(events?: string[], owner = team) {
  const path = `/hook-${++paths}`;
  const endpoint = await subscribe(owner, receiver.url + path, events);
  return { path, id: endpoint.id as number, secret: endpoint.secret as string, got: () => receiver.to(path) };
}

export let moved = 0;
export const forward = async (seconds: number) => {
  moved += seconds;
  await advance(stack.origin, seconds);
};
