import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Receiver, startReceiver } from '../../support/receiver.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { control, newTeam, type Team } from '../../support/team.ts';
import { attemptsOf } from '../../support/webhooks.ts';

export let folder: string;
export let stack: Stack;
export let receiver: Receiver;
export let team: Team;
export const servers: Server[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-webhooks-'));
  [stack, receiver] = await Promise.all([
    startStack({ data: folder, context: { webhookAllowLoopback: 'true' } }),
    startReceiver(),
  ]);
  team = await newTeam({ origin: stack.origin });
});
afterEach(() => control('DELETE', '/faults', undefined, stack.origin));
afterAll(async () => {
  await stack?.kill();
  await receiver?.stop();
  for (const server of servers) server.close();
  await rm(folder, { recursive: true, force: true });
});

export const test = (id: number) => team.api('POST', `/webhooks/${id}/test`);
export const attempts = async (id: number) => (await attemptsOf(team, id)).length;

export async function restart(): Promise<void> {
  stack = await stack.restart();
}
