import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PutSuppressedDestinationCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { expect, test } from 'vitest';
import { ended, idle } from '../support/campaign.ts';
import { awsOf } from '../support/stack.ts';
import { call, control, newTeam } from '../support/team.ts';
import { admin, data, heldCampaign, run, stack } from './command-lines.setup.ts';

test('makes a team and a key with the requested scopes', async () => {
  const { out } = await admin('team', 'create', '--name', 'Acme & Sons', '--plan', 'business', '--json');
  const { team_id } = JSON.parse(out);
  const made = await admin(
    'key',
    'create',
    '--team',
    String(team_id),
    '--scopes',
    'contacts:read,events:read',
    '--json',
  );
  const { status, body } = await call(`${stack.origin}/v1/me`, 'GET', undefined, {
    'x-api-key': JSON.parse(made.out).key,
  });
  expect(status).toBe(200);
  expect(body.data.team).toMatchObject({ id: team_id, name: 'Acme & Sons', plan: 'business' });
  expect(body.data.api_key.scopes).toEqual(['contacts:read', 'events:read']);
});

test.each(['demo.example', 'not a domain'])(
  'the control creates no team with the unusable domain %j',
  async (domain) => {
    const before = await newTeam({ origin: stack.origin });
    const { status } = await control(
      'POST',
      '/teams',
      { name: 'Half', domains: ['half.example', domain] },
      stack.origin,
    );
    expect(status).toBe(422);
    expect((await newTeam({ origin: stack.origin })).id).toBe(before.id + 1);
  },
);

test('puts a team with its keys on another plan', async () => {
  const team = await newTeam({ origin: stack.origin, plan: 'business' });
  expect(await admin('team', 'plan', '--team', String(team.id), '--plan', 'starter')).toMatchObject({ code: 0 });
  expect((await team.api('GET', '/me')).body.code).toBe('plan_excludes_api');
});

test('shows the DNS records of a domain that is not verified yet', async () => {
  const team = await newTeam({ origin: stack.origin });
  const { out } = await admin('domain', 'add', '--team', String(team.id), '--domain', 'shop.example');
  expect(out).toMatch(/^shop\.example is pending/);
  expect(out.match(/_domainkey\.shop\.example\s+CNAME\s+\S+\.dkim\.amazonses\.com/g)).toHaveLength(3);
});

test('a false bounce is shown, and undone on the platform and at SES, with its reason', async () => {
  const email = 'falsely@bounced.example';
  const ses = new SESv2Client({ ...awsOf(data), maxAttempts: 10 });
  await ses.send(new PutSuppressedDestinationCommand({ EmailAddress: email, Reason: 'BOUNCE' }));
  await admin('suppression', 'add', '--platform', '--email', email);
  const show = async () => (await admin('suppression', 'show', '--email', email)).out;
  expect(await show()).toMatch(/^The platform suppresses .*: hard_bounce\.\nSES suppresses .*: BOUNCE\.$/m);
  const team = await newTeam({ origin: stack.origin });
  const message = { from_email: `a@${team.domain}`, to: email, subject: 'Hi', html: '<p>Hi</p>' };
  expect((await team.api('POST', '/send', message)).body.code).toBe('recipient_suppressed');
  const remove = () => admin('suppression', 'remove', '--platform', '--email', email, '--reason', 'their server erred');
  expect((await remove()).out).toContain(`The platform and SES mail ${email} again.`);
  expect(await show()).toMatch(/^Nothing suppresses .*\nLifted on .*: their server erred$/m);
  expect((await team.api('POST', '/send', message)).body.data).toMatchObject({ delivered: true });
  expect(await remove()).toMatchObject({ code: 1, err: expect.stringContaining('No such suppression') });
});

test('a released campaign reaches every contact on its list', async () => {
  const team = await newTeam({ origin: stack.origin });
  const campaign = await heldCampaign(team);
  const { out } = await admin('campaign', 'release', '--team', String(team.id), '--campaign', String(campaign));
  expect(out).toContain('is released and now queuing');
  expect(await ended(stack.origin, team, campaign)).toMatchObject({
    status: 'sent',
    sent_count: 2,
    failure_reason: null,
  });
});

test('a refused campaign is cancelled, says why, and reaches no contact', async () => {
  const team = await newTeam({ origin: stack.origin });
  const campaign = await heldCampaign(team);
  const ids = ['--team', String(team.id), '--campaign', String(campaign)];
  expect(await admin('campaign', 'refuse', ...ids, '--reason', 'a shortener')).toMatchObject({ code: 0 });
  const { body } = await team.api('GET', `/campaigns/${campaign}`);
  expect(body.data).toMatchObject({
    status: 'cancelled',
    failure_reason: 'refused in review: a shortener',
    sent_count: 0,
  });
  const again = await admin('campaign', 'release', ...ids);
  expect(again).toMatchObject({ code: 1, out: '' });
  expect(again.err).toContain('is cancelled, not held');
});

test.each([
  [['team', 'frobnicate'], 'There is no command "team frobnicate".'],
  [['team', 'create', '--name', 'x'], '--plan must be given.'],
  [['key', 'create', '--team', '1', '--scpoes', 'x'], "Unknown option '--scpoes'."],
  [['key', 'create', '--team', 'acme'], '--team: a numeric id.'],
  [['key', 'create', '--team', '999999'], 'No such team: 999999.'],
])('answers %j with one line and exit code 1', async (args, line) => {
  const { code, out, err } = await admin(...args);
  expect(code).toBe(1);
  expect(out).toBe('');
  expect(err.split('\n')[0]).toBe(line);
});

test.each(['admin', 'demo'])('npm run %s says what to do when no stack is running', async (program) => {
  const args = program === 'admin' ? ['team', 'plan', '--team', '1', '--plan', 'free'] : [];
  const { code, err } = await run(program, args, { MAILWRIGHT_DATA: join(data, 'nothing-here') });
  expect(code).toBe(1);
  expect(err).toMatch(/start one with "npm start"/);
});

test('the demo sends the sample to every contact once, leaves out the bad row, and can be run again', async () => {
  const { team_id } = JSON.parse(readFileSync(join(data, 'credentials.json'), 'utf8'));
  for (const [round, expected] of [59, 55].entries()) {
    const { code, out } = await run('demo', []);
    expect(code).toBe(0);
    expect(out).toContain('line 54: email:');
    await idle(stack.origin);
    const { body } = await call(`${stack.origin}/_local/messages?campaign_id=${round + 1}`);
    const own = body.data.filter(({ tags }: { tags: { team: string } }) => tags.team === String(team_id));
    expect(own).toHaveLength(expected);
    expect(new Set(own.map(({ to }: { to: string }) => to)).size).toBe(expected);
    expect(out).toMatch(new RegExp(`Sent +${expected} `));
  }
});

test('listening on a stack that may not call this machine says how to start one that may', async () => {
  const { code, out, err } = await run('listen', []);
  expect([code, out]).toEqual([1, '']);
  expect(err).toMatch(/^url: .+\nStart the stack so .+ npm start -- -c webhookAllowLoopback=true\n$/);
});
