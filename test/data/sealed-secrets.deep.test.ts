import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sealToken } from '../../shared/domain/address-token.ts';
import { type Receiver, signers, startReceiver } from '../support/receiver.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { type RawTable, rawTable } from '../support/table.ts';
import { call, control, newTeam, type Team } from '../support/team.ts';
import { advance, sendTest, subscribe } from '../support/webhooks.ts';

const day = 86_400;
const signingKey = randomBytes(32);
const plain = `whsec_${randomBytes(32).toString('base64')}`;
let folder: string;
let stack: Stack;
let receiver: Receiver;
let team: Team;
let moved = 0;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-sealed-'));
  const context = { webhookAllowLoopback: 'true' };
  [stack, receiver] = await Promise.all([startStack({ data: folder, context }), startReceiver()]);
  team = await newTeam({ origin: stack.origin });
});
afterAll(async () => {
  await stack?.kill();
  await receiver?.stop();
  await rm(folder, { recursive: true, force: true });
});

const table = (): Promise<RawTable> => rawTable(folder);
const rowOf = async (id: number) =>
  (await (await table()).partition(`TEAM#${team.id}#WEBHOOKS`)).find((row) => row.id === id)!;
const signingKeyRow = async () => (await (await table()).partition('PLATFORM')).find(({ sk }) => sk === 'SIGNING_KEY')!;
const forward = async (seconds: number) => {
  moved += seconds;
  await advance(stack.origin, seconds);
};
const inject = (error: string) => control('POST', '/faults', { service: 'kms', error }, stack.origin);

/** The secrets, of those given, that signed the newest request to a path. */
async function signedBy(id: number, path: string, ...secrets: string[]): Promise<string[]> {
  await sendTest(stack.origin, team, id);
  return signers(receiver.to(path).at(-1)!, secrets, Date.now() / 1000 + moved);
}

it('takes over what an earlier version stored, and seals it once no such version runs any more', async () => {
  const old = await subscribe(team, `${receiver.url}/old`);
  // As an installation that was upgraded just now.
  const [dataKeys] = await (await table()).partition('PLATFORM#DATA_KEYS');
  const seals_from = new Date(Date.now() + 2 * day * 1_000).toISOString().replace('Z', '+00:00');
  const plainKey = { pk: 'PLATFORM', sk: 'SIGNING_KEY', secret: signingKey.toString('base64') };
  await (await table()).write([{ ...dataKeys!, seals_from }, plainKey, { ...(await rowOf(old.id)), secret: plain }]);
  stack = await stack.restart();

  const early = await subscribe(team, `${receiver.url}/early`);
  expect((await rowOf(early.id)).secret).toBe(early.secret);
  expect(await signedBy(old.id, '/old', plain, old.secret)).toEqual([plain]);
  expect((await rowOf(old.id)).secret).toBe(plain);
  const token = sealToken(signingKey, 'service', [team.id], 'ann@example.com');
  expect((await call(`${stack.origin}/unsubscribe/${token}`, 'POST')).status).toBe(200);
  expect((await signingKeyRow()).secret).toBe(plainKey.secret);

  await forward(2 * day + 600);
  for (const [{ id }, path, secret] of [
    [old, '/old', plain],
    [early, '/early', early.secret],
  ] as const) {
    expect(await signedBy(id, path, secret), path).toEqual([secret]);
    expect((await rowOf(id)).secret, path).toBeInstanceOf(Uint8Array);
    expect(await signedBy(id, path, secret), path).toEqual([secret]);
  }
  const late = sealToken(signingKey, 'service', [team.id], 'bob@example.com');
  expect((await call(`${stack.origin}/unsubscribe/${late}`, 'POST')).status).toBe(200);
  expect((await signingKeyRow()).secret).toBeInstanceOf(Uint8Array);
});

it('makes the data keys anew where the stage has got another key, as long as nothing is sealed', async () => {
  const [row] = await (await table()).partition('PLATFORM#DATA_KEYS');
  const other = { ...row!, key_arn: 'arn:aws:kms:us-east-1:000000000000:key/other' };
  const found = async (seals_from: Date) => {
    await (await table()).write([{ ...other, seals_from: seals_from.toISOString().replace('Z', '+00:00') }]);
    stack = await stack.restart();
    await forward(60);
    return (await (await table()).partition('PLATFORM#DATA_KEYS'))[0]!;
  };
  const now = Date.now() + moved * 1_000;
  expect((await found(new Date(now - day * 1_000))).key_arn).toBe(other.key_arn);
  const made = await found(new Date(now + day * 1_000));
  expect(made.key_arn).toBe(row!.key_arn);
  expect(made.wrapped).not.toEqual(row!.wrapped);
  expect(Date.parse(made.seals_from as string)).toBeGreaterThan(now + day * 1_000);
  await (await table()).write([row!]);
  stack = await stack.restart();
});

it('opens after a restart what was sealed before, also in a rotation', async () => {
  const { id, secret } = await subscribe(team, `${receiver.url}/kept`);
  stack = await stack.restart();
  expect(await signedBy(id, '/kept', secret)).toEqual([secret]);
  const rotated = await team.data('POST', `/webhooks/${id}/rotate-secret`);
  expect(await signedBy(id, '/kept', secret, rotated.secret)).toEqual([secret, rotated.secret]);
});

it('works on with the data keys that it has while KMS fails, and answers 503 where it has none', async () => {
  const { id, secret } = await subscribe(team, `${receiver.url}/busy`);
  expect(await signedBy(id, '/busy', secret)).toEqual([secret]);
  await inject('KMSInternalException');
  expect(await signedBy(id, '/busy', secret)).toEqual([secret]);
  await control('DELETE', '/faults', undefined, stack.origin);

  stack = await stack.restart();
  const body = { url: `${receiver.url}/new`, events: ['*'] };
  const create = () => team.api('POST', '/webhooks', body, { 'idempotency-key': 'while KMS fails' });
  for (const error of ['KMSInternalException', 'ThrottlingException']) {
    await inject(error);
    const { status, body: answer } = await create();
    expect([status, answer.code], error).toEqual([503, 'unavailable']);
    await control('DELETE', '/faults', undefined, stack.origin);
  }
  const made = await create();
  expect(made.status).toBe(200);
  expect((await create()).body).toEqual(made.body);
  expect(await signedBy(made.body.data.id, '/new', made.body.data.secret)).toEqual([made.body.data.secret]);
});
