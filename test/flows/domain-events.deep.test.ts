import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { idle } from '../support/campaign.ts';
import { rawTable } from '../support/table.ts';
import { control, newTeam } from '../support/team.ts';
import { advance, double, folder, inject, messagesTo, signUp, stack, team } from './domain-events.setup.ts';

describe('a confirmation message', () => {
  it('is sent once though its domain event could not be queued, came twice, or met a throttle', async () => {
    const refused = { service: 'sqs', operation: 'SendMessageBatch', error: 'ServiceUnavailable', count: 6 };
    await inject({ ...refused, containing: 'mailwright-dev-notices' });
    const unqueued = await signUp();
    await control('DELETE', '/faults', undefined, stack.origin);
    await advance(180);
    expect(await messagesTo(unqueued.email)).toBe(1);

    await inject({ service: 'sqs', operation: '*', error: 'duplicate', rate: 1 });
    const twice = await signUp();
    expect(await messagesTo(twice.email)).toBe(1);
    await control('DELETE', '/faults', undefined, stack.origin);

    await inject({ service: 'ses', operation: 'SendEmail', error: 'TooManyRequestsException', count: 2 });
    const throttled = await signUp();
    expect(await messagesTo(throttled.email)).toBe(1);
  });
});

describe('a message over the allowance', () => {
  it('is held without the address, and sent once there is allowance again', async () => {
    const own = await newTeam({ origin: stack.origin, plan: 'business' });
    const { naming, partition, write } = await rawTable(folder);
    const clock = (await control('GET', '/clock', undefined, stack.origin)).body.now;
    const usage = { pk: `TEAM#${own.id}`, sk: `USAGE#${clock.slice(0, 7)}` };
    await write([{ ...usage, emails: 1_000_000 }]);
    const { id: list } = await own.data('POST', '/lists', { name: 'News', opt_in_mode: 'double' });
    const email = `held-${own.id}@held.example`;
    await own.data('POST', '/contacts', { email, list_ids: [list] });
    expect(await messagesTo(email)).toBe(0);
    const jobs = async () => (await naming('NOTICES')).filter(({ team_id }) => team_id === own.id);
    expect(await jobs()).toMatchObject([{ told: true }]);
    expect(JSON.stringify(await jobs())).not.toContain('held.example');
    await advance(3_700);
    expect(await messagesTo(email)).toBe(0);
    expect(await jobs()).toHaveLength(1);
    await write([{ ...usage, emails: 5 }]);
    await advance(2 * 3_700);
    expect(await messagesTo(email)).toBe(1);
    expect(await jobs()).toEqual([]);
    expect((await partition(usage.pk)).find(({ sk }) => sk === usage.sk)?.emails).toBe(6);
    await advance(86_400);
    expect(await messagesTo(email)).toBe(1);
  });

  it('is given up after 31 days, and an upsert asks for it again', async () => {
    const own = await newTeam({ origin: stack.origin, plan: 'business' });
    const { naming, write } = await rawTable(folder);
    const usedUp = async (emails: number) => {
      const { now } = (await control('GET', '/clock', undefined, stack.origin)).body;
      await write([{ pk: `TEAM#${own.id}`, sk: `USAGE#${now.slice(0, 7)}`, emails }]);
    };
    await usedUp(1_000_000);
    const { id: list } = await own.data('POST', '/lists', { name: 'News', opt_in_mode: 'double' });
    const email = `given-up-${own.id}@example.com`;
    await own.data('POST', '/contacts', { email, list_ids: [list] });
    expect(await messagesTo(email)).toBe(0);
    const jobs = async () => (await naming('NOTICES')).filter(({ team_id }) => team_id === own.id);
    const [job] = await jobs();
    await write([{ ...job!, at: new Date(Date.parse(String(job!.at)) - 31 * 86_400_000).toISOString() }]);
    await advance(13 * 3_600);
    await usedUp(1_000_000);
    expect(await messagesTo(email)).toBe(0);
    expect(await jobs()).toEqual([]);
    await usedUp(0);
    await advance(86_400);
    await usedUp(0);
    await own.data('POST', '/contacts', { email, list_ids: [list] });
    expect(await messagesTo(email)).toBe(1);
  });
});

describe('a confirmation message', () => {
  it('is not sent again by the same upsert, nor by joining again on the same day, but on the next', async () => {
    const { id, email } = await signUp();
    const join = () => team.api('POST', '/contacts', { email, list_ids: [double] });
    const leave = () => team.api('DELETE', `/lists/${double}/contacts/${id}`);
    await join();
    await leave();
    await join();
    expect(await messagesTo(email)).toBe(1);
    await advance(86_401);
    await join();
    expect(await messagesTo(email)).toBe(1);
    await leave();
    await join();
    expect(await messagesTo(email)).toBe(2);
  });

  it('is sent to an address once a day and three times in 31 days, however often it is erased and added', async () => {
    const { email, id } = await signUp();
    let erased = id;
    const again = async () => {
      await idle(stack.origin);
      await team.api('POST', `/contacts/${erased}/erase`);
      erased = (await team.data('POST', '/contacts', { email, list_ids: [double] })).id;
      return messagesTo(email);
    };
    const sent: number[] = [];
    for (const days of [0, 0, 1, 1, 1, 1, 27, 1]) {
      await advance(days * 86_401);
      sent.push(await again());
    }
    expect(sent).toEqual([1, 1, 2, 3, 3, 3, 4, 5]);
  });

  it("is not sent again where the provider's answer was lost", async () => {
    await inject({ service: 'ses', operation: 'SendEmail', error: 'lost_response', count: 1 });
    const { email } = await signUp();
    expect(await messagesTo(email)).toBe(1);
    await advance(3_600);
    expect(await messagesTo(email)).toBe(1);
  });
});

it('publishes the events of an import that the queue refused, which are stored compressed', async () => {
  const refused = { service: 'sqs', operation: 'SendMessageBatch', error: 'ServiceUnavailable', count: 6 };
  await inject({ ...refused, containing: 'mailwright-dev-notices' });
  const contacts = Array.from({ length: 10 }, (_, at) => ({ email: `imported${at}@example.com`, list_ids: [double] }));
  await team.api('POST', '/contacts/bulk', { contacts });
  const { naming } = await rawTable(folder);
  const [stored] = (await naming('NOTICES')).filter(({ team_id }) => team_id === team.id);
  expect(stored!.notices).toEqual(expect.any(String));
  expect(await messagesTo(contacts[0]!.email)).toBe(0);
  await control('DELETE', '/faults', undefined, stack.origin);
  await advance(180);
  for (const { email } of contacts) expect([email, await messagesTo(email)]).toEqual([email, 1]);
});

it('publishes every change of a contact once, under its type', async () => {
  const tag = (await team.api('POST', '/tags', { name: 'VIP' })).body.data.id;
  const list = (await team.api('POST', '/lists', { name: 'Plain' })).body.data.id;
  const { id } = (await team.api('POST', '/contacts', { email: 'published@example.com' })).body.data;
  await team.api('POST', `/contacts/${id}/tags`, { tag_ids: [tag] });
  await team.api('POST', `/lists/${list}/contacts`, { contact_ids: [id] });
  await team.api('PATCH', `/contacts/${id}`, { first_name: 'Ann' });
  await team.api('PATCH', `/contacts/${id}`, { first_name: 'Ann' });
  await team.api('DELETE', `/tags/${tag}`);
  await team.api('PATCH', `/contacts/${id}`, { status: 'unsubscribed' });
  await team.api('DELETE', `/contacts/${id}`);
  await idle(stack.origin);
  const lines = (await readFile(join(folder, 'logs', 'mailwright-dev-handle-notices.log'), 'utf8')).split('\n');
  const published = lines.flatMap((line) => {
    if (!line.includes(`"${id}.`)) return [];
    const { type, domain_event_ids = [] } = JSON.parse(line);
    const own = domain_event_ids.filter((event: string) => event.startsWith(`${id}.`));
    return own.map((event: string) => [event, type]);
  });
  expect(published.sort()).toEqual([
    [`${id}.1`, 'contact.created'],
    [`${id}.2`, 'contact.updated'],
    [`${id}.3`, 'contact.updated'],
    [`${id}.4`, 'contact.updated'],
    [`${id}.6`, 'contact.unsubscribed'],
    [`${id}.7`, 'contact.deleted'],
  ]);
});

it('names every tag of an upsert, and moves updated_at, though they take several transactions', async () => {
  const made = Array.from({ length: 100 }, (_, index) => team.api('POST', '/tags', { name: `Many ${index}` }));
  const tag_ids: number[] = (await Promise.all(made)).map(({ body }) => body.data.id);
  const refused = { service: 'sqs', operation: 'SendMessageBatch', error: 'ServiceUnavailable', count: 6 };
  await inject({ ...refused, containing: 'mailwright-dev-notices' });
  const { data } = (await team.api('POST', '/contacts', { email: 'many@example.com', tag_ids })).body;
  const { naming } = await rawTable(folder);
  const waiting = (await naming('"email":"many@example.com"')).filter(({ pk }) => pk.startsWith('DUE#'));
  const events = waiting.flatMap((item) => item.notices as { type: string; tag_ids: number[] }[]);
  expect(events.map(({ type }) => type).sort()).toEqual(['contact.created', 'contact.updated', 'contact.updated']);
  expect(events.flatMap((event) => event.tag_ids).sort((a, b) => a - b)).toEqual(tag_ids.sort((a, b) => a - b));
  expect(data.updated_at > data.created_at).toBe(true);
});
