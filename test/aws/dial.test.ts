import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTarget, dial } from '../../shared/aws/dial.ts';
import type { Address } from '../../shared/domain/webhooks/public-address.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { selfSigned } from '../support/self-signed.ts';

let receiver: Receiver;
const servers: Server[] = [];
const open = { allowLoopback: true };
const call = (url: string) => ({ url, headers: { 'Content-Type': 'application/json' }, body: '{"a":1}' });

beforeAll(async () => {
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.stop();
  for (const server of servers) server.close();
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return (server.address() as AddressInfo).port;
}

/** A server that handles each raw connection. */
const raw = (serve: (socket: Socket) => void) => listen(createServer((socket) => serve(socket.on('error', () => {}))));

describe('a call', () => {
  it('posts the body unchanged and returns the response', async () => {
    expect(await dial(call(`${receiver.url}/plain?x=1`), open)).toEqual({ status: 200, body: 'ok' });
    const [got] = receiver.to('/plain?x=1');
    expect(got).toMatchObject({
      raw: '{"a":1}',
      headers: { 'content-type': 'application/json', 'content-length': '7', connection: 'close' },
    });
  });

  it('keeps the beginning of a long response and reports when it is too large', async () => {
    receiver.behave('/long', (_request, response) => response.end('é'.repeat(5_000)));
    receiver.behave('/huge', (_request, response) => response.end(Buffer.alloc(10 * 1_024 * 1_024, 'x')));
    expect(await dial(call(`${receiver.url}/long`), open)).toEqual({ status: 200, body: 'é'.repeat(1_024) });
    const huge = await dial(call(`${receiver.url}/huge`), open);
    expect(huge).toEqual({ status: 200, body: 'x'.repeat(1_024), error: 'too large' });
  });

  it('does not follow a redirect', async () => {
    receiver.behave('/from', (_request, response) => response.writeHead(302, { location: '/target' }).end());
    expect(await dial(call(`${receiver.url}/from`), open)).toMatchObject({ status: 302 });
    expect(receiver.to('/target')).toEqual([]);
  });

  it('times out when the response never begins and when it never ends', async () => {
    receiver.behave('/silent', () => {});
    receiver.behave('/drip', (_request, response) => {
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    });
    const hanging = { ...open, timeoutMs: 200 };
    expect(await dial(call(`${receiver.url}/silent`), hanging)).toMatchObject({ status: null, error: 'timeout' });
    expect(await dial(call(`${receiver.url}/drip`), hanging)).toMatchObject({ error: 'timeout' });
    const resolve = () => new Promise<Address[]>(() => {});
    expect(await dial(call('http://slow-dns.example/'), { ...hanging, resolve })).toMatchObject({ error: 'timeout' });
  });

  it('ends with the status of a server that switches to another protocol', async () => {
    const switching = await raw((socket) =>
      socket.once('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
      ),
    );
    expect(await dial(call(`http://127.0.0.1:${switching}/`), open)).toEqual({ status: 101, body: null });
  });

  it('has a stable word for every kind of failure', async () => {
    const free = await raw(() => {});
    const unused = servers.pop()!;
    await new Promise((done) => unused.close(done));
    const closing = await raw((socket) => socket.end());
    const babbling = await raw((socket) => socket.end('SSH-2.0-OpenSSH\r\n'));
    const cutting = await raw((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')),
    );
    const tls = await listen(createTlsServer(selfSigned));
    const word = async (url: string) => (await dial(call(url), open)).error;
    expect(await word(`http://127.0.0.1:${free}/`)).toBe('connection refused');
    expect(await word(`http://127.0.0.1:${closing}/`)).toBe('connection closed');
    expect(await word(`http://127.0.0.1:${babbling}/`)).toBe('malformed answer');
    expect(await word(`http://127.0.0.1:${cutting}/`)).toBe('connection closed');
    expect(await word(`https://127.0.0.1:${tls}/`)).toBe('tls');
    expect(await word(receiver.url.replace('http:', 'https:'))).toBe('tls');
    expect(await word('http://nowhere.invalid/')).toBe('dns');
    expect(await word('http://10.0.0.1/')).toBe('refused address');
  });
});

describe('the address of a host name', () => {
  const port = () => new URL(receiver.url).port;
  const to = (...addresses: string[]) => addresses.map((address): Address => ({ address, family: 4 }));

  it('is used for the connection, with the name in the request', async () => {
    const resolve = async () => to('127.0.0.1');
    const url = `http://hooks.example:${port()}/named`;
    expect(await dial(call(url), { ...open, resolve })).toMatchObject({ status: 200 });
    expect(receiver.to('/named')[0]?.headers.host).toBe(`hooks.example:${port()}`);
  });

  it('is checked at every call: a name that now resolves to a private address is not called', async () => {
    const url = `http://rebound.example:${port()}/rebound`;
    const answers = [to('93.184.215.14'), to('127.0.0.1')];
    const options = { allowLoopback: false, resolve: async () => answers.shift()! };
    await expect(checkTarget(url, options)).resolves.toBeUndefined();
    expect(await dial(call(url), options)).toEqual({ status: null, body: null, error: 'refused address' });
    expect(receiver.to('/rebound')).toEqual([]);
  });

  it('is resolved once per call, so a second DNS answer has no effect', async () => {
    let asked = 0;
    const resolve = async () => (asked++ === 0 ? to('127.0.0.1') : to('127.0.0.9'));
    expect(await dial(call(`http://once.example:${port()}/once`), { ...open, resolve })).toMatchObject({ status: 200 });
    expect([asked, receiver.to('/once').length]).toEqual([1, 1]);
  });

  it('is subject to a timeout when an endpoint is registered', async () => {
    const options = { ...open, timeoutMs: 50, resolve: () => new Promise<Address[]>(() => {}) };
    const checked = checkTarget('https://slow-dns.example/', options);
    await expect(checked).rejects.toMatchObject({ name: 'RefusedTarget', reason: 'dns' });
  });

  it('is refused when one of several addresses is private', async () => {
    const resolve = async () => to('93.184.215.14', '127.0.0.1');
    const options = { allowLoopback: false, resolve };
    const url = `http://mixed.example:${port()}/mixed`;
    expect(await dial(call(url), options)).toMatchObject({ error: 'refused address' });
    expect(receiver.to('/mixed')).toEqual([]);
  });
});
