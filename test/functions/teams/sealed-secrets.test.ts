import { gunzipSync } from 'node:zlib';
import { DecryptCommand, KMSClient } from '@aws-sdk/client-kms';
import { beforeAll, expect, inject, it } from 'vitest';
import * as z from 'zod';
import { catalogue } from '../../../functions/catalogue.ts';
import { secretsKeyArn } from '../../support/data.ts';
import { awsOf } from '../../support/stack.ts';
import { type RawTable, type Row, rawTable } from '../../support/table.ts';
import { call, newTeam, type Team } from '../../support/team.ts';

const folder = inject('folder');
let team: Team;
let table: RawTable;
let wrapped: Record<string, Uint8Array>;

beforeAll(async () => {
  team = await newTeam();
  table = await rawTable(folder);
  const [row] = await table.partition('PLATFORM#DATA_KEYS');
  wrapped = (row as unknown as { wrapped: typeof wrapped }).wrapped;
});

/** Every text and every byte that a row has, unpacked where it is gzip. */
function contents(value: unknown): string {
  if (value instanceof Uint8Array)
    return value[0] === 0x1f ? gunzipSync(value).toString() : Buffer.from(value).toString();
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.values(value).map(contents).join('\n');
}

async function rows(): Promise<Row[]> {
  const parts = ['WEBHOOKS', 'IDEMPOTENCY'].map((part) => table.partition(`TEAM#${team.id}#${part}`));
  return (await Promise.all(parts)).flat();
}

it('stores no secret of a webhook or an API key as it is, and shows it again to a repeated request', async () => {
  const once = async (path: string, body?: object) => {
    const send = () => team.api('POST', path, body, { 'idempotency-key': `sealed ${path}` });
    const [first, again] = [await send(), await send()];
    expect([again.body, again.headers.get('idempotent-replayed')], path).toEqual([first.body, 'true']);
    return first.body.data;
  };
  const webhook = await once('/webhooks', { url: 'https://93.184.215.14/hook', events: ['contact.created'] });
  const rotated = await once(`/webhooks/${webhook.id}/rotate-secret`);
  const { key: apiKey } = await once('/api-keys', { name: 'CI' });
  const stored = await rows();
  expect(stored).toHaveLength(4);
  const text = stored.map(contents).join('\n');
  expect(text).toContain('https://93.184.215.14/hook');
  for (const secret of [webhook.secret, rotated.secret, apiKey]) {
    expect(secret).toMatch(/^\w+_/);
    expect(text).not.toContain(secret);
    expect(text).not.toContain(secret.slice(-20));
  }
});

it('stores the key that signs links sealed', async () => {
  const { status } = await call(`${inject('origin')}/unsubscribe/none`);
  expect(status).toBe(404);
  const keys = (await table.partition('PLATFORM')).filter(({ sk }) => sk === 'SIGNING_KEY');
  expect(keys.map(({ secret }) => secret)).toEqual([expect.any(Uint8Array)]);
});

it('seals what is stored of every answer that shows a secret', () => {
  const shows = Object.values(catalogue)
    .flatMap((endpoints) => Object.values(endpoints))
    .filter(({ response }) =>
      /"(?:secret|key)":\{"type":"string"/.test(
        JSON.stringify(z.toJSONSchema(response, { io: 'input', unrepresentable: 'any' })),
      ),
    );
  expect(shows.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    'POST /api-keys',
    'POST /webhooks',
    'POST /webhooks/{endpoint}/rotate-secret',
  ]);
  expect(shows.filter(({ sealing }) => sealing === undefined)).toEqual([]);
});

it('lets each function open the secrets that it needs, and KMS none for another purpose', async () => {
  const open = async (name: string, purpose: string, context = purpose) => {
    const aws = awsOf(folder);
    const kms = new KMSClient({ ...aws, credentials: { ...aws.credentials, accessKeyId: name } });
    const input = {
      KeyId: secretsKeyArn(),
      CiphertextBlob: wrapped[purpose]!,
      EncryptionContext: { purpose: context },
    };
    return kms.send(new DecryptCommand(input)).then(
      ({ Plaintext }) => Plaintext!.length,
      (error: Error) => error.name,
    );
  };
  const as = (name: string) => (purpose: string) => open(`mailwright-dev-${name}`, purpose);
  const purposes = ['signing', 'webhooks', 'answers'];
  const refused = 'AccessDeniedException';
  const of = (name: string) => Promise.all(purposes.map(as(name)));
  expect(await of('deliver-webhook')).toEqual([32, 32, refused]);
  expect(await of('webhooks')).toEqual([refused, 32, 32]);
  expect(await of('api-keys')).toEqual([refused, refused, 32]);
  expect(await of('send-page')).toEqual([32, refused, refused]);
  for (const name of ['contacts', 'pages']) expect(await of(name), name).toEqual([32, refused, refused]);
  for (const name of ['lists', 'reconcile']) expect(await of(name), name).toEqual([refused, refused, refused]);
  expect(await open('test', 'answers', 'signing')).toBe('InvalidCiphertextException');
});
