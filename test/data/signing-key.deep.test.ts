import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sealToken, unsealToken } from '../../shared/domain/address-token.ts';
import { signToken } from '../../shared/domain/signed-token.ts';
import { ended, messagesOf, readyCampaign } from '../support/campaign.ts';
import { operate } from '../support/operate.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { rawTable } from '../support/table.ts';
import { call, control, newTeam, type Team } from '../support/team.ts';

const first = randomBytes(32);
const email = 'ann@example.com';
let folder: string;
let stack: Stack;
let team: Team;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-signing-key-'));
  stack = await startStack({ data: folder });
  // As the version before stored it.
  const row = { pk: 'PLATFORM', sk: 'SIGNING_KEY', secret: first.toString('base64') };
  await (await rawTable(folder)).write([row]);
  team = await newTeam({ origin: stack.origin });
});
afterAll(async () => {
  await stack?.kill();
  await rm(folder, { recursive: true, force: true });
});

const advance = (advance_seconds: number) => control('POST', '/clock', { advance_seconds }, stack.origin);
const signingKeyRow = async () =>
  (await (await rawTable(folder)).partition('PLATFORM')).find(({ sk }) => sk === 'SIGNING_KEY')!;

async function send(): Promise<{ campaign: number; link: string }> {
  const { campaign } = await readyCampaign(team, [{ email }, { email: 'bob@example.com' }]);
  await team.data('POST', `/campaigns/${campaign}/send`);
  await ended(stack.origin, team, campaign);
  const { headers } = (await messagesOf(team, campaign, stack.origin)).get(email)!;
  return { campaign, link: headers['List-Unsubscribe']!.slice(1, -1) };
}

it('a rotated key signs new links once every process knows it, and those of the key before stay valid', async () => {
  for (const name of ['a', 'b']) await team.data('POST', '/tags', { name });
  const before = await send();
  const report = (await team.data('POST', `/campaigns/${before.campaign}/report/share`)).url;
  const { next_cursor } = (await team.api('GET', '/tags?per_page=1')).body;
  const rotated = await operate(folder, 'signing-key rotate', {});
  expect(rotated).toMatchObject({ keys: 2, signs_from: expect.any(String) });
  expect(await operate(folder, 'signing-key rotate', {})).toEqual(rotated);
  const { rows } = await operate(folder, 'audit list', { action: 'signing_key.rotated' });
  expect(rows).toHaveLength(1);
  const signer = ({ link }: { link: string }, key: Buffer) => unsealToken(key, 'unsubscribe', link.split('/').at(-1)!);
  expect(signer(await send(), first)?.email).toBe(email);

  await advance(10 * 60);
  const after = await send();
  const { secret, later } = await signingKeyRow();
  expect([secret, later]).toEqual([
    expect.any(Uint8Array),
    [{ secret: expect.any(Uint8Array), signs_from: expect.any(String) }],
  ]);
  expect(signer(after, first)).toBeUndefined();
  expect((await team.api('GET', `/tags?per_page=1&cursor=${next_cursor}`)).body.data).toMatchObject([{ name: 'a' }]);
  expect((await call(report)).status).toBe(200);
  for (const { link } of [before, after]) {
    await team.data('PATCH', `/contacts/${email}`, { status: 'active' });
    expect((await call(link, 'POST')).status).toBe(200);
    expect((await team.data('GET', `/contacts/${email}`)).status).toBe('unsubscribed');
  }
  expect(await operate(folder, 'signing-key rotate', {})).toMatchObject({ keys: 3 });
});

it('a key that signs no more opens unsubscribe links for ever, and others as long as people use them', async () => {
  await team.data('PATCH', `/contacts/${email}`, { status: 'active' });
  const { campaign } = await send();
  const contact = (await team.data('GET', `/contacts/${email}`)).id;
  const report = signToken(first, 'report', [team.id, campaign, 9_999_999_999]);
  const leave = sealToken(first, 'unsubscribe', [team.id, campaign, contact], email);
  const answers = async () => [
    (await call(`${stack.origin}/confirm/${signToken(first, 'confirm', [team.id, contact])}`)).status,
    (await call(`${stack.origin}/reports/${report}`)).status,
    (await call(`${stack.origin}/unsubscribe/${leave}`, 'POST')).status,
  ];
  await advance(600);
  expect(await answers()).toEqual([200, 200, 200]);
  await advance(31 * 86_400);
  expect(await answers()).toEqual([404, 200, 200]);
  await advance(335 * 86_400);
  expect(await answers()).toEqual([404, 404, 200]);
});
