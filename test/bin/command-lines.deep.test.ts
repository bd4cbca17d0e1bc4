import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { ended, readyCampaign, rows } from '../support/campaign.ts';
import { call, newTeam } from '../support/team.ts';
import { admin, data, run, stack } from './command-lines.setup.ts';

test('a suspended team sends nothing: a running campaign pauses, and continues when it is resumed', async () => {
  const team = await newTeam({ origin: stack.origin });
  const { campaign } = await readyCampaign(team, rows(200));
  const ids = ['--team', String(team.id), '--campaign', String(campaign)];
  await call(`${stack.origin}/_local/faults`, 'POST', {
    service: 'ses',
    operation: 'SendBulkEmail',
    error: 'TooManyRequestsException',
    rate: 1,
  });
  await team.api('POST', `/campaigns/${campaign}/send`);
  await vi.waitFor(
    async () => expect((await team.api('GET', `/campaigns/${campaign}`)).body.data.status).toBe('sending'),
    20_000,
  );
  expect(JSON.parse((await admin('team', 'suspend', '--team', String(team.id), '--json')).out)).toEqual({
    team_id: team.id,
    paused: [campaign],
  });
  await call(`${stack.origin}/_local/faults`, 'DELETE');
  expect((await admin('campaign', 'resume', ...ids)).err).toContain(`Team ${team.id} is suspended.`);
  const { body } = await team.api('POST', `/campaigns/${campaign}/preflight`);
  expect(body.data.blockers).toContain('sending_suspended');
  expect(await admin('team', 'unsuspend', '--team', String(team.id))).toMatchObject({ code: 0 });
  expect((await admin('campaign', 'resume', ...ids)).out).toContain('is resumed and now sending');
  expect(await ended(stack.origin, team, campaign)).toMatchObject({
    status: 'sent',
    sent_count: 200,
    failure_reason: null,
  });
});

test('an address suppressed for the platform gets no mail from any team', async () => {
  const team = await newTeam({ origin: stack.origin });
  const [trap, fine] = ['trap@example.com', 'fine@example.com'];
  const { campaign } = await readyCampaign(team, [{ email: trap }, { email: fine }]);
  const add = ['suppression', 'add', '--email', ' Trap@Example.com'];
  expect((await admin(...add)).err).toContain('--platform must be given.');
  expect((await admin(...add, '--platform')).out).toBe('No team mails trap@example.com any more (hard_bounce).\n');
  // The first reason is kept.
  const again = await admin(...add, '--platform', '--reason', 'spam_report', '--json');
  expect(JSON.parse(again.out)).toMatchObject({ email: trap, reason: 'hard_bounce' });
  expect((await team.api('GET', '/suppressions')).body.data).toEqual([]);
  await team.api('POST', '/suppressions', { email: trap, reason: 'hard_bounce' });
  expect((await team.api('DELETE', '/suppressions', { email: trap })).status).toBe(200);
  expect((await team.api('GET', `/contacts/${trap}`)).body.data.status).toBe('active');
  await team.api('POST', `/campaigns/${campaign}/send`);
  expect(await ended(stack.origin, team, campaign)).toMatchObject({ status: 'sent', sent_count: 1 });
  const { body } = await team.api('GET', `/campaigns/${campaign}/recipients`);
  const listed = body.data.map(({ email, status }: Record<string, string>) => [email, status]);
  expect(listed).toEqual([
    [fine, 'sent'],
    [trap, 'suppressed'],
  ]);
});

test('the demo finds columns regardless of case, spaces and underscores, and keeps others as metadata', async () => {
  const file = join(data, 'people.csv');
  writeFileSync(
    file,
    '\uFEFFE_MAIL,FIRSTNAME,last name,Favourite  Colour\nKim@Example.com,"Kim ""K""",Lee,"blue, green"\n',
  );
  expect(await run('demo', [file])).toMatchObject({ code: 0 });
  const { api_key } = JSON.parse(readFileSync(join(data, 'credentials.json'), 'utf8'));
  const { body } = await call(`${stack.origin}/v1/contacts/kim@example.com`, 'GET', undefined, {
    'x-api-key': api_key,
  });
  expect(body.data).toMatchObject({
    first_name: 'Kim "K"',
    last_name: 'Lee',
    metadata: { favourite_colour: 'blue, green' },
  });
});
