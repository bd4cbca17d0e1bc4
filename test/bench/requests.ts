import { randomUUID } from 'node:crypto';
import type { BenchStack } from './bench-stack.ts';
import { consumedBy, median, type Result, round, timings } from './results.ts';

const rowsPerCall = 1_000;
const concurrentImports = 4;
let made = 0;

/** `count` new contacts. */
export function newContacts(count: number) {
  return Array.from({ length: count }, () => {
    const number = made++;
    const place = ((number * 7_919) % 1_000_003).toString(36);
    return {
      email: `${place}.${number}@recipients.example`,
      first_name: `First ${number}`,
      last_name: `Last ${number}`,
      metadata: { company: `Company ${number % 97}`, city: `City ${number % 31}`, plan: 'annual' },
    };
  });
}

/** Imports contacts into a list, 1,000 a call. */
export async function importTo(stack: BenchStack, listId: number, count: number): Promise<void> {
  for (let left = count; left > 0; left -= rowsPerCall) {
    const contacts = newContacts(Math.min(left, rowsPerCall));
    await accepted(stack.call('POST', '/contacts/bulk', { contacts, list_ids: [listId] }));
  }
}

/** The body of a response that must be 200. */
export async function accepted(answer: ReturnType<BenchStack['call']>) {
  const { status, body } = await answer;
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.data;
}

/** The cost and the duration of requests. */
export async function measureRequests(stack: BenchStack, { quick }: { quick: boolean }): Promise<Result[]> {
  const list = await accepted(stack.call('POST', '/lists', { name: 'Requests' }));
  return [
    ...(await overhead(stack, quick ? 20 : 100)),
    ...(await bulk(stack, list.id, quick ? 3 : 9)),
    await getContact(stack, quick ? 100 : 500),
  ];
}

/** The cost of authentication and rate limit, and of idempotency. */
async function overhead(stack: BenchStack, times: number): Promise<Result[]> {
  await stack.call('GET', '/me');
  const repeat = (method: string, path: string, body?: unknown, headers = () => ({})) =>
    stack.metered(() => timings(times, () => accepted(stack.call(method, path, body, headers()))));
  const read = await repeat('GET', '/me');
  const tag = { contact_ids: [] };
  const plain = await repeat('POST', '/lists/1/contacts', tag);
  const idempotent = await repeat('POST', '/lists/1/contacts', tag, () => ({ 'idempotency-key': randomUUID() }));
  // A minute that begins meanwhile adds a hundredth.
  const perCall = (units: number) => Number((units / times).toFixed(1));
  const added = (of: 'read' | 'write') => idempotent.capacity[of] - plain.capacity[of];
  return [
    {
      what: 'overhead of a request (authentication, rate)',
      figure: perCall(read.capacity.write),
      unit: 'write units',
      atMost: 2,
      details: `${perCall(read.capacity.read)} read units; ${consumedBy(read, times, 'GET /me')}`,
    },
    {
      what: 'what an Idempotency-Key adds to a write',
      figure: perCall(added('write')),
      unit: 'write units',
      atMost: 2,
      details: `${perCall(added('read'))} read units; ${consumedBy(idempotent, times, 'POST that changes nothing')}`,
    },
  ];
}

async function bulk(stack: BenchStack, listId: number, times: number): Promise<Result[]> {
  const call = () => importTo(stack, listId, rowsPerCall);
  await call();
  const p50 = median(await timings(times, call));
  const used = await stack.metered(call);
  const importing = Date.now();
  await Promise.all(Array.from({ length: concurrentImports }, () => importTo(stack, listId, times * rowsPerCall)));
  const imported = concurrentImports * times * rowsPerCall;
  const what = 'bulk call, 1,000 new contacts on one list';
  return [
    { what, figure: used.capacity.write, unit: 'write units', atMost: 8_000, details: consumedBy(used, 1, 'call') },
    { what: `${what}, p50`, figure: p50 / 1000, unit: 's', atMost: 1.5 },
    {
      what: 'import of contacts over the API, locally',
      figure: imported / ((Date.now() - importing) / 1000),
      unit: 'contacts/s',
      atLeast: 3_000,
      details: `${round(imported)} contacts on one list, ${concurrentImports} calls at once`,
    },
  ];
}

async function getContact(stack: BenchStack, times: number): Promise<Result> {
  const [contact] = newContacts(1);
  await accepted(stack.call('POST', '/contacts', contact));
  const path = `/contacts/${encodeURIComponent(contact!.email)}`;
  const get = () => accepted(stack.call('GET', path));
  await timings(20, get);
  const p50 = median(await timings(times, get));
  const used = await stack.metered(() => timings(20, get));
  return {
    what: 'GET of one contact over HTTP, p50',
    figure: p50,
    unit: 'ms',
    atMost: 8,
    details: consumedBy(used, 20, 'GET'),
  };
}
