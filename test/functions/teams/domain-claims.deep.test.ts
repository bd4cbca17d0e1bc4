import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetEmailIdentityCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { idle } from '../../support/campaign.ts';
import { awsOf, type Stack, startStack } from '../../support/stack.ts';
import { control, newTeam } from '../../support/team.ts';

const data = mkdtempSync(join(tmpdir(), 'mailwright-claims-'));
const day = 86_400;

let stack: Stack;
let ses: SESv2Client;
beforeAll(async () => {
  stack = await startStack({ data });
  ses = new SESv2Client({ ...awsOf(data), maxAttempts: 20 });
});
afterAll(async () => {
  await stack?.stop();
  rmSync(data, { recursive: true, force: true });
});

const command = (path: string, body: object) => control('POST', path, body, stack.origin);
const atSes = (EmailIdentity: string) => ses.send(new GetEmailIdentityCommand({ EmailIdentity }));
const forward = async (seconds: number) => {
  await command('/clock', { advance_seconds: seconds });
  await idle(stack.origin);
};

it('a claim without its TXT record ends after seven days, also at SES; a verified domain stays', async () => {
  const [team, other] = [await newTeam({ origin: stack.origin }), await newTeam({ origin: stack.origin })];
  await team.data('POST', '/sending-domains', { domain: 'slow.example' });
  await forward(3 * day);
  await team.data('POST', '/sending-domains', { domain: 'later.example' });
  expect((await other.api('POST', '/sending-domains', { domain: 'slow.example' })).status).toBe(422);
  await forward(4 * day + 120);
  expect((await team.api('GET', '/sending-domains/slow.example')).status).toBe(404);
  await expect(atSes('slow.example')).rejects.toMatchObject({ name: 'NotFoundException' });
  expect((await team.data('GET', '/sending-domains/later.example')).status).toBe('pending');
  expect((await team.data('GET', `/sending-domains/${team.domain}`)).status).toBe('verified');
  expect((await other.api('POST', '/sending-domains', { domain: 'slow.example' })).status).toBe(200);
  await forward(8 * day);
  expect((await team.data('GET', '/sending-domains')).map(({ domain }: { domain: string }) => domain)).toEqual([
    team.domain,
  ]);
});

it('the DKIM records name the zone of the region', async () => {
  const team = await newTeam({ origin: stack.origin });
  await command('/ses', { signing_zone: 'dkim.eu-central-2.amazonses.com' });
  const { records } = await team.data('POST', '/sending-domains', { domain: 'zone.example' });
  const dkim = records.filter(({ purpose }: { purpose: string }) => purpose === 'dkim');
  expect(dkim).toHaveLength(3);
  for (const { name, value } of dkim)
    expect(value).toBe(name.replace('_domainkey.zone.example', 'dkim.eu-central-2.amazonses.com'));
});
