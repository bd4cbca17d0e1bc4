import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { firewallHeader } from '../../../shared/domain/teams/caller-address.ts';
import { idle } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { call, newTeam, type Team, teamWith } from '../../support/team.ts';

const address = 'https://mail.example.com';
const viewer = '127.0.0.2';
const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** A stack with a firewall, the address of the firewall, and a team that calls through it. */
async function behindFirewall(firewall: string) {
  const data = mkdtempSync(join(tmpdir(), 'mailwright-firewall-'));
  const firewallCertificate = 'arn:aws:acm:us-east-1:111122223333:certificate/one';
  const stack = await startStack({ data, context: { firewall, firewallCertificate, baseUrl: address } });
  const { firewall: front } = JSON.parse(readFileSync(join(data, 'stack.json'), 'utf8')) as { firewall: string };
  const team = teamWith(front, await newTeam({ origin: stack.origin }));
  const end = async () => {
    await stack.stop();
    rmSync(data, { recursive: true, force: true });
  };
  return { stack, front, team, end };
}

/** Calls from an address of this machine; the status, and the address that a refusal names. */
const callFrom = (localAddress: string, origin: string, apiKey: string, more: Record<string, string> = {}) =>
  new Promise<{ status: number; message: string }>((resolve, reject) => {
    const headers = { authorization: `Bearer ${apiKey}`, ...more };
    const sent = request(`${origin}/v1/me`, { localAddress, headers }, async (response) => {
      const body = JSON.parse(Buffer.concat(await response.toArray()).toString());
      resolve({ status: response.statusCode!, message: body.message ?? '' });
    });
    sent.on('error', reject).end();
  });

const boundTo = async (team: Team, address: string): Promise<string> =>
  (await team.data('POST', '/api-keys', { name: 'Bound', allowed_ips: [address] })).key;

describe('behind a firewall', () => {
  let stack: Stack;
  let front: string;
  let team: Team;
  let end: () => Promise<void>;
  beforeAll(async () => {
    ({ stack, front, team, end } = await behindFirewall('true'));
  });
  afterAll(() => end?.());

  it('the caller is who called the firewall, whatever its headers say', async () => {
    const key = await boundTo(team, viewer);
    expect((await callFrom(viewer, front, key)).status).toBe(200);
    const forged = { 'x-forwarded-for': viewer, [firewallHeader]: 'guessed' };
    const { status, message } = await callFrom('127.0.0.3', front, key, forged);
    expect([status, message]).toEqual([403, expect.stringContaining('from 127.0.0.3:')]);
    const rows = (await team.data('GET', '/api-keys')) as { last_used_ip: string | null }[];
    expect(rows.map(({ last_used_ip }) => last_used_ip).sort()).toEqual(['127.0.0.1', viewer]);
  });

  it('the API answers nobody who comes round it, and says where it is', async () => {
    const forged = { 'x-forwarded-for': viewer, [firewallHeader]: 'guessed' };
    for (const headers of [{}, forged])
      expect(await callFrom(viewer, stack.origin, team.apiKey, headers)).toEqual({
        status: 403,
        message: `Call the API at ${address}/v1: it has a firewall there.`,
      });
    const paths = ['/v1/openapi.json', '/v1/no/such/path'];
    const answers = await Promise.all(paths.map((path) => call(stack.origin + path)));
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      paths.map(() => [403, 'address_not_allowed']),
    );
    expect((await call(`${front}/v1/openapi.json`)).body.servers).toEqual([{ url: `${address}/v1` }]);
  });

  it('links of mails lead through it, and work round it, too', async () => {
    const { public_url } = await team.data('POST', '/waitlists', { name: 'Opening' });
    expect(public_url).toMatch(`${address}/w/`);
    const entered = new URLSearchParams({ email: 'ann@example.com', ref: '' });
    expect((await call(public_url.replace(address, front), 'POST', String(entered), form)).status).toBeLessThan(400);
    await idle(stack.origin, team);
    const [mail] = (await call(`${stack.origin}/_local/messages?to=ann@example.com`)).body.data;
    const [link] = /https:\/\/mail\.example\.com\/w\/[^/\s]+\/\S+/.exec(mail.text)!;
    for (const origin of [front, stack.origin]) expect((await call(link.replace(address, origin))).status).toBe(200);
  });
});

it('an open firewall knows who comes through it, and answers whoever comes round it, too', async () => {
  const { stack, front, team, end } = await behindFirewall('open');
  try {
    const key = await boundTo(team, viewer);
    for (const origin of [front, stack.origin]) {
      expect((await callFrom(viewer, origin, key)).status).toBe(200);
      const forged = { 'x-forwarded-for': viewer, [firewallHeader]: 'guessed' };
      expect((await callFrom('127.0.0.3', origin, key, forged)).message).toContain('from 127.0.0.3:');
    }
  } finally {
    await end();
  }
});

it('without a firewall no header is believed, and the API answers at its own address', async () => {
  const team = await newTeam();
  const key = await boundTo(team, viewer);
  expect((await callFrom(viewer, inject('origin'), key)).status).toBe(200);
  const forged = { 'x-forwarded-for': viewer, [firewallHeader]: '' };
  expect((await callFrom('127.0.0.3', inject('origin'), key, forged)).message).toContain('from 127.0.0.3:');
});
