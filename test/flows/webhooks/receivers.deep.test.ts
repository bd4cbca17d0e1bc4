import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { describe, expect, it } from 'vitest';
import { idle, rows } from '../../support/campaign.ts';
import type { Behaviour } from '../../support/receiver.ts';
import { selfSigned } from '../../support/self-signed.ts';
import { rawTable } from '../../support/table.ts';
import { control, newTeam } from '../../support/team.ts';
import { advance, attemptsOf, endpointOf, subscribe, until } from '../../support/webhooks.ts';
import { attempts, folder, receiver, restart, servers, stack, team, test } from './receivers.setup.ts';

it('an endpoint that hangs holds at most ten attempts, and delays no other host', async () => {
  const own = await newTeam({ origin: stack.origin });
  let open = 0;
  let most = 0;
  receiver.behave('/dead', (_request, response) => {
    most = Math.max(most, ++open);
    response.on('close', () => open--);
  });
  const dead = await subscribe(own, `${receiver.url}/dead`);
  await subscribe(own, `${receiver.url.replace('127.0.0.1', 'localhost')}/alive`);
  await own.api('POST', '/contacts/bulk', { contacts: rows(120) });
  await until(() => receiver.to('/alive').length === 120);
  expect(new Set(receiver.to('/alive').map(({ body }) => body.data.email)).size).toBe(120);
  expect(most).toBeLessThanOrEqual(10);
  await own.api('DELETE', `/webhooks/${dead.id}`);
});

it('endpoints at one host that hangs hold ten attempts together', async () => {
  const own = await newTeam({ origin: stack.origin });
  let open = 0;
  let most = 0;
  for (let index = 0; index < 10; index++) {
    receiver.behave(`/shared-${index}`, (_request, response) => {
      most = Math.max(most, ++open);
      response.on('close', () => open--);
    });
    await subscribe(own, `${receiver.url}/shared-${index}`, ['contact.created']);
  }
  await own.api('POST', '/contacts/bulk', { contacts: rows(20) });
  await until(() => open === 10);
  const table = await rawTable(folder);
  const putOff = async () => (await table.naming('RETRY#')).filter(({ pk }) => pk.startsWith(`TEAM#${own.id}#`)).length;
  await until(async () => (await putOff()) >= 190);
  expect(most).toBe(10);
  for (const { id } of await own.data('GET', '/webhooks')) await own.api('DELETE', `/webhooks/${id}`);
});

describe('a delivery is not lost', () => {
  it('where the workflow could not be started', async () => {
    receiver.behave('/unstarted', (_request, response) =>
      response.writeHead(receiver.to('/unstarted').length < 2 ? 500 : 200).end(),
    );
    const { id } = await subscribe(team, `${receiver.url}/unstarted`);
    await control(
      'POST',
      '/faults',
      { service: 'states', operation: 'StartExecution', error: 'ServiceUnavailable', rate: 1 },
      stack.origin,
    );
    await test(id);
    await until(async () => (await attempts(id)) === 1);
    await advance(stack.origin, 60);
    expect(await attempts(id)).toBe(1);
    await control('DELETE', '/faults', undefined, stack.origin);
    await advance(stack.origin, 600);
    await until(async () => (await attempts(id)) === 2);
    expect((await attemptsOf(team, id))[0]).toMatchObject({ attempt: 2, succeeded: true });
  });
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

/** The results of the first two attempts at an endpoint, the second when it is due. */
async function twoAttempts(url: string): Promise<object[]> {
  const { id } = await subscribe(team, url);
  await test(id);
  await until(async () => (await attempts(id)) === 1);
  await advance(stack.origin, 6);
  await until(async () => (await attempts(id)) === 2);
  const found = await attemptsOf(team, id);
  await team.api('DELETE', `/webhooks/${id}`);
  return found.map(({ attempt, succeeded, error, response_status, response_body }) => {
    expect(succeeded).toBe(false);
    return { attempt, error, response_status, response_body };
  });
}

const both = (outcome: object) => [2, 1].map((attempt) => ({ attempt, ...outcome }));

describe('a receiver that', () => {
  it.each<[string, Behaviour, object]>([
    [
      'answers 500',
      (_request, response) => response.writeHead(500).end('sorry'),
      { error: 'status 500', response_status: 500, response_body: 'sorry' },
    ],
    [
      'redirects',
      (_request, response) => response.writeHead(307, { location: '/elsewhere' }).end(),
      { error: 'redirect not followed', response_status: 307, response_body: '' },
    ],
    [
      'sends 10 MB',
      (_request, response) => response.end(Buffer.alloc(10 * 1_024 * 1_024, 'x')),
      { error: 'too large', response_status: 200, response_body: 'x'.repeat(1_024) },
    ],
    [
      'closes the connection',
      (_request, response) => response.destroy(),
      { error: 'connection closed', response_status: null, response_body: null },
    ],
  ])('%s is recorded as such and tried again', async (name, behaviour, outcome) => {
    const path = `/${name.replaceAll(' ', '-')}`;
    receiver.behave(path, behaviour);
    expect(await twoAttempts(receiver.url + path)).toEqual(both(outcome));
    expect(receiver.to('/elsewhere')).toEqual([]);
  });

  it('refuses, has a bad certificate, or has none, is recorded as such and tried again', async () => {
    const gone = createServer();
    const port = await listen(gone);
    servers.pop();
    await new Promise((done) => gone.close(done));
    const tls = await listen(createTlsServer(selfSigned));
    const none = { response_status: null, response_body: null };
    expect(await twoAttempts(`http://127.0.0.1:${port}/`)).toEqual(both({ error: 'connection refused', ...none }));
    expect(await twoAttempts(`https://127.0.0.1:${tls}/`)).toEqual(both({ error: 'tls', ...none }));
    expect(await twoAttempts(receiver.url.replace('http:', 'https:'))).toEqual(both({ error: 'tls', ...none }));
  });

  it('hangs is given 15 seconds', async () => {
    receiver.behave('/hangs', () => {});
    const { id } = await subscribe(team, `${receiver.url}/hangs`);
    await test(id);
    await until(() => receiver.to('/hangs').length === 1);
    await advance(stack.origin, 16);
    await until(async () => (await attempts(id)) === 1);
    expect(await attemptsOf(team, id)).toMatchObject([{ error: 'timeout', response_status: null, succeeded: false }]);
    await team.api('DELETE', `/webhooks/${id}`);
  });
});

describe('a delivery is not lost', () => {
  it('when everything is killed between two attempts', async () => {
    receiver.behave('/killed', (_request, response) =>
      response.writeHead(receiver.to('/killed').length < 3 ? 500 : 200).end(),
    );
    const { id } = await subscribe(team, `${receiver.url}/killed`);
    await test(id);
    await until(async () => (await attempts(id)) === 1);
    await advance(stack.origin, 6);
    await until(async () => (await attempts(id)) === 2);
    await stack.kill();
    await restart();
    await advance(stack.origin, 1_200);
    await until(async () => (await attempts(id)) === 3);
    expect(receiver.to('/killed').map(({ body }) => body.id)).toEqual(
      Array(3).fill(receiver.to('/killed')[0]!.body.id),
    );
    expect(await endpointOf(team, id)).toMatchObject({ consecutive_failures: 0 });
    await idle(stack.origin);
  });
});
