import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { finished, readyCampaign, rows } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { control, newTeam, type Team } from '../../support/team.ts';

const data = mkdtempSync(join(tmpdir(), 'mailwright-limits-'));

let stack: Stack;
let team: Team;
beforeAll(async () => {
  stack = await startStack({ data });
  team = await newTeam({ origin: stack.origin });
});
afterAll(async () => {
  await stack?.stop();
  rmSync(data, { recursive: true, force: true });
});

const asked = async () =>
  (await control('GET', '/usage', undefined, stack.origin)).body.calls['ses:GetAccount'] as number;
const send = (to: string) =>
  team.api('POST', '/send', { from_email: `me@${team.domain}`, to, subject: 'Hi', html: '<p>Hi</p>' });

it('one call of GetAccount a minute serves all functions', async () => {
  const { campaign } = await readyCampaign(team, rows(120, 'limits.example'));
  await control('POST', '/usage', undefined, stack.origin);
  const answers = await Promise.all([
    team.api('POST', `/campaigns/${campaign}/preflight`),
    send('one@limits.example'),
    send('two@limits.example'),
    team.api('POST', `/campaigns/${campaign}/send`),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect(await finished(team, campaign, stack.origin)).toMatchObject({ status: 'sent', sent_count: 120 });
  expect(await asked()).toBe(1);
  await control('POST', '/clock', { advance_seconds: 61 }, stack.origin);
  expect((await send('later@limits.example')).status).toBe(200);
  expect(await asked()).toBe(2);
});

it('the last known limits count while SES does not answer, also for a function that never asked', async () => {
  await stack.stop();
  stack = await startStack({ data, port: Number(new URL(stack.origin).port) });
  await control('POST', '/clock', { advance_seconds: 3_600 }, stack.origin);
  await control(
    'POST',
    '/faults',
    { service: 'ses', operation: 'GetAccount', error: 'TooManyRequestsException' },
    stack.origin,
  );
  const { status, body } = await send('stale@limits.example');
  expect([status, body.data?.status]).toEqual([200, 'sent']);
  const { campaign } = await readyCampaign(team, rows(3, 'stale.example'));
  expect((await team.api('POST', `/campaigns/${campaign}/preflight`)).status).toBe(200);
  await team.data('POST', `/campaigns/${campaign}/send`);
  expect(await finished(team, campaign, stack.origin)).toMatchObject({ status: 'sent', sent_count: 3 });
});
