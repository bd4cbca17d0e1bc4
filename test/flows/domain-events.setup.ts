import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { idle } from '../support/campaign.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { control, newTeam, type Team } from '../support/team.ts';

export let folder: string;
export let stack: Stack;
export let team: Team;
export let double: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-domain-events-'));
  stack = await startStack({ data: folder });
  team = await newTeam({ origin: stack.origin });
  double = (await team.api('POST', '/lists', { name: 'News', opt_in_mode: 'double' })).body.data.id;
});
afterEach(() => control('DELETE', '/faults', undefined, stack.origin));
afterAll(async () => {
  await stack?.kill();
  await rm(folder, { recursive: true, force: true });
});

export const advance = (advance_seconds: number) => control('POST', '/clock', { advance_seconds }, stack.origin);
export const inject = (fault: object) => control('POST', '/faults', fault, stack.origin);
let people = 0;

export async function signUp(): Promise<{ id: number; email: string }> {
  const { status, body } = await team.api('POST', '/contacts', {
    email: `p${++people}@example.com`,
    list_ids: [double],
  });
  expect([status, body.data.status]).toEqual([200, 'pending']);
  return body.data;
}

export async function messagesTo(email: string): Promise<number> {
  await idle(stack.origin);
  return (await control('GET', `/messages?to=${email}`, undefined, stack.origin)).body.data.length;
}
