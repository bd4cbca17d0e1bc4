import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { ended, readyCampaign } from '../support/campaign.ts';
import { type Stack, startStack } from '../support/stack.ts';
import type { Team } from '../support/team.ts';

const shortened = '<p><a href="https://bit.ly/offer">An offer</a> <a href="{{unsubscribe_url}}">Unsubscribe</a></p>';
export const data = mkdtempSync(join(tmpdir(), 'mailwright-command-lines-'));
export let stack: Stack;

beforeAll(async () => {
  stack = await startStack({ data });
});

afterAll(async () => {
  await stack.stop();
  rmSync(data, { recursive: true, force: true });
});

interface Ended {
  code: number;
  out: string;
  err: string;
}

export function run(
  program: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Ended> {
  const env = { ...process.env, MAILWRIGHT_DATA: data, ...environment };
  return new Promise((done) => {
    execFile(process.execPath, ['bin/run.mjs', `bin/${program}.ts`, ...args], { env }, (error, out, err) =>
      done({ code: error ? Number(error.code) : 0, out, err }),
    );
  });
}

export const admin = (...args: string[]) => run('admin', args);

export async function heldCampaign(team: Team): Promise<number> {
  const people = [{ email: 'one@example.com' }, { email: 'two@example.com' }];
  const { campaign } = await readyCampaign(team, people, { html: shortened });
  await team.api('POST', `/campaigns/${campaign}/send`);
  const { status } = await ended(stack.origin, team, campaign);
  expect(status).toBe('held');
  return campaign;
}
