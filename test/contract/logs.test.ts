import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateApiKey } from '../../shared/domain/teams/api-key.ts';
import { ended, idle, messagesOf, readyCampaign } from '../support/campaign.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { call, control, keyWith, newTeam } from '../support/team.ts';

let folder: string;
let stack: Stack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-logs-'));
  stack = await startStack({ data: folder });
});
afterAll(async () => {
  await stack?.kill();
  await rm(folder, { recursive: true, force: true });
});

async function everyLog(): Promise<string> {
  const names = await readdir(join(folder, 'logs'));
  expect(names.length).toBeGreaterThan(5);
  return (await Promise.all(names.map((name) => readFile(join(folder, 'logs', name), 'utf8')))).join('\n');
}

it('logs contain no address, name, key or secret, after any request and any failure', async () => {
  const team = await newTeam({ origin: stack.origin });
  const foreign = generateApiKey();
  const secrets = [team.apiKey, foreign];
  const people = ['zaphod', 'trillian', 'marvin'].map((name) => ({
    email: `${name}@galaxy.example`,
    first_name: 'Zarniwoop',
    metadata: { planet: 'Magrathea' },
  }));
  const bounced = { email: 'bounce+slartibartfast@simulator.amazonses.com' };
  const { campaign } = await readyCampaign(team, [...people, bounced], {
    subject: 'Vogon poetry for {{first_name}}',
    html: '<p>Oh freddled gruntbuggly {{planet}} <a href="{{unsubscribe_url}}">x</a></p>',
    reply_to: 'agrajag@galaxy.example',
  });
  // Refused requests with an address in every place.
  for (const [method, path, body] of [
    ['GET', '/contacts/ford@galaxy.example', undefined],
    ['GET', '/nowhere/ford@galaxy.example', undefined],
    ['GET', '/events?email=ford@galaxy.example&cursor=ford@galaxy.example', undefined],
    ['POST', '/contacts', '{"email": "ford@galaxy.example", '],
    ['POST', '/contacts', { email: 'ford@galaxy.example', tag_ids: ['ford@galaxy.example'] }],
    ['POST', '/contacts/bulk', { contacts: [{ email: 'ford@galaxy.example' }, { email: 'ford galaxy.example' }] }],
    ['POST', '/suppressions', { email: 'ford@galaxy.example', reason: 'ford@galaxy.example' }],
    ['POST', '/campaigns', { name: 'ford@galaxy.example', from_email: 'ford@' }],
    ['POST', '/campaigns/999999/send', undefined],
  ] as const)
    expect(
      (await team.api(method, path, body, { 'idempotency-key': `ford@galaxy.example ${path}` })).status,
    ).toBeGreaterThanOrEqual(400);
  await call(`${stack.origin}/v1/contacts`, 'GET', undefined, { authorization: `Bearer ${foreign}` });
  await call(`${stack.origin}/v1/me?key=${team.apiKey}`, 'GET', undefined, { 'x-api-key': `${team.apiKey}x` });
  const created = (await team.api('POST', '/api-keys', { name: 'Zarniwoop' })).body.data.key;
  secrets.push(created, (await keyWith(team, ['contacts:read'], stack.origin)).apiKey);

  // Failures of AWS calls, whose messages may repeat the request.
  const inject = (fault: object) => control('POST', '/faults', fault, stack.origin);
  await inject({ service: 'dynamodb', operation: 'GetItem', error: 'InternalServerError', count: 12 });
  for (let again = 0; again < 3; again++) await team.api('POST', '/contacts', { email: 'arthur@galaxy.example' });
  await control('DELETE', '/faults', undefined, stack.origin);
  await inject({ service: 'ses', operation: 'SendBulkEmail', error: 'TooManyRequestsException', count: 1 });
  await inject({
    service: 'dynamodb',
    operation: 'TransactWriteItems',
    error: 'ProvisionedThroughputExceededException',
    rate: 0.3,
  });
  await inject({ service: 'sns', operation: 'Publish', error: 'duplicate', rate: 0.5 });
  const send = async () =>
    (await team.api('POST', `/campaigns/${campaign}/send`, undefined, { 'idempotency-key': 'send' })).status;
  let status = await send();
  // All attempts of a transaction may fail.
  while (status === 503) status = await send();
  expect(status).toBe(200);
  expect(await ended(stack.origin, team, campaign)).toMatchObject({ status: 'sent' });
  const messages = await messagesOf(team, campaign, stack.origin);
  const links = [...messages.values()].map(({ headers }) => headers['List-Unsubscribe']!.slice(1, -1));
  for (const link of links.slice(0, 2)) {
    await fetch(link, { method: 'POST' });
    secrets.push(link.slice(link.lastIndexOf('/') + 1));
  }
  await fetch(`${links[0]}x`);
  await team.api('POST', '/contacts/zaphod@galaxy.example/erase');
  await idle(stack.origin);

  const logs = await everyLog();
  for (const secret of secrets) expect(logs).not.toContain(secret);
  for (const word of [
    'galaxy.example',
    'simulator.amazonses.com',
    'slartibartfast',
    'zaphod',
    'Zarniwoop',
    'Magrathea',
    'gruntbuggly',
    'Vogon',
    'mw_live_',
    'Bearer',
  ])
    expect(logs).not.toContain(word);
  // Logs do contain the request id, the route, the team and the error.
  const { headers } = await team.api('GET', '/lists');
  await idle(stack.origin);
  const line = (await everyLog()).split('\n').find((text) => text.includes(headers.get('x-request-id')!))!;
  expect(JSON.parse(line)).toMatchObject({ status: 200, team_id: team.id, route: 'GET /v1/lists' });
  expect(logs).toContain('"error":"InternalServerError"');
});
