import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { ended, readyCampaign } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import type { Team } from '../../support/team.ts';
import { control, newTeam } from '../../support/team.ts';

export let folder: string;
export let stack: Stack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-reputation-'));
  stack = await startStack({ data: folder });
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

export const advance = (advance_seconds: number) => control('POST', '/clock', { advance_seconds }, stack.origin);
export const team = () => newTeam({ origin: stack.origin });

export const simulated = (kind: 'bounce' | 'complaint', count: number) =>
  Array.from({ length: count }, (_, index) => ({
    email: `${kind}+${String(index).padStart(3, '0')}@simulator.amazonses.com`,
  }));

export async function sendTo(own: Team, people: readonly { email: string }[]): Promise<number> {
  const { campaign } = await readyCampaign(own, people);
  await own.data('POST', `/campaigns/${campaign}/send`);
  await ended(stack.origin, own, campaign);
  return campaign;
}
