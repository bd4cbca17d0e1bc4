import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { everyRow } from '../support/campaign.ts';
import { type Answer, keyWith, newTeam, type Team } from '../support/team.ts';

let team: Team;
beforeAll(async () => {
  team = await newTeam();
});

let keys = 0;
const newKey = () => `key-${++keys}`;
const write = (key: string, method: string, path: string, body?: unknown) =>
  team.api(method, path, body, { 'idempotency-key': key });
const replayed = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true';
const nameOf = async (path: string) => (await team.api('GET', path)).body.data.name;

function expectReplay(again: Answer, first: Answer): void {
  expect([again.status, again.body]).toEqual([first.status, first.body]);
  expect([replayed(first), replayed(again)]).toEqual([false, true]);
  expect(again.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect(again.headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
}

describe('the same request under the same Idempotency-Key', () => {
  it('creates one record and repeats the response, for every kind of record', async () => {
    for (const [path, body] of [
      ['/lists', { name: 'Once' }],
      ['/tags', { name: 'Once' }],
      ['/campaigns', { name: 'Once' }],
      ['/templates', { name: 'Once', html_content: '<p>Once</p>' }],
      ['/contacts', { email: 'once@example.com', metadata: { n: 1 } }],
      ['/suppressions', { email: 'once@example.com', reason: 'manual' }],
      ['/api-keys', { name: 'Once' }],
    ] as const) {
      const key = newKey();
      const before = (await everyRow(team, path)).length;
      const first = await write(key, 'POST', path, body);
      expect(first.status).toBe(200);
      for (let again = 0; again < 2; again++) expectReplay(await write(key, 'POST', path, body), first);
      expect(await everyRow(team, path)).toHaveLength(before + 1);
    }
  });

  it('repeats the secret of a created API key', async () => {
    const key = newKey();
    const body = { name: 'Secret', scopes: ['contacts:read'] };
    await write(key, 'POST', '/api-keys', body);
    const again = await write(key, 'POST', '/api-keys', body);
    expect(replayed(again)).toBe(true);
    expect((await team.withKey(again.body.data.key).api('GET', '/contacts')).status).toBe(200);
  });

  it('repeats a response that is larger than an item of the table, compressed', async () => {
    const { id } = (await team.api('POST', '/sequences', { name: 'Large' })).body.data;
    // Random text hardly compresses.
    const text = () => `<p>${randomBytes(100_000).toString('base64')}</p>`;
    const steps = Array.from({ length: 6 }, (_, index) => ({
      delay_value: index,
      delay_unit: 'days',
      subject: `Step ${index}`,
      html_content: text(),
    }));
    const key = newKey();
    const first = await write(key, 'PUT', `/sequences/${id}/steps`, { steps });
    expect([first.status, first.body.data?.steps.map((step: { html_content: string }) => step.html_content)]).toEqual([
      200,
      steps.map(({ html_content }) => html_content),
    ]);
    for (let again = 0; again < 2; again++)
      expectReplay(await write(key, 'PUT', `/sequences/${id}/steps`, { steps }), first);
    expect((await write(key, 'PUT', `/sequences/${id}/steps`, { steps: [] })).body.code).toBe('idempotency_key_reused');
  });

  it('changes and deletes once, and keeps later changes', async () => {
    const { id } = (await team.api('POST', '/lists', { name: 'First' })).body.data;
    const [patch, remove] = [newKey(), newKey()];
    const first = await write(patch, 'PATCH', `/lists/${id}`, { name: 'Second' });
    await team.api('PATCH', `/lists/${id}`, { name: 'Third' });
    expectReplay(await write(patch, 'PATCH', `/lists/${id}`, { name: 'Second' }), first);
    expect(await nameOf(`/lists/${id}`)).toBe('Third');

    const campaign = (await team.api('POST', '/campaigns', { name: 'First' })).body.data.id;
    const put = newKey();
    const content = { html_content: '<p>{{unsubscribe_url}}</p>' };
    const set = await write(put, 'PUT', `/campaigns/${campaign}/content`, content);
    expectReplay(await write(put, 'PUT', `/campaigns/${campaign}/content`, content), set);

    const deleted = await write(remove, 'DELETE', `/lists/${id}`);
    expect(deleted.status).toBe(200);
    expectReplay(await write(remove, 'DELETE', `/lists/${id}`), deleted);
    expect((await team.api('DELETE', `/lists/${id}`)).status).toBe(404);
  });

  it('repeats a refusal, even when the request would succeed now', async () => {
    for (const [method, path, body] of [
      ['POST', '/lists', { name: '' }],
      ['POST', '/lists', '{"name": '],
      ['POST', '/contacts', { email: 'refused@example.com', tag_ids: [999_999] }],
      ['PATCH', '/contacts/999999', { first_name: 'Ann' }],
      ['DELETE', '/lists/1', undefined],
    ] as const) {
      const key = newKey();
      const first = await write(key, method, path, body);
      expect([404, 422]).toContain(first.status);
      expectReplay(await write(key, method, path, body), first);
    }
    const key = newKey();
    const late = { email: 'late@example.com' };
    const refused = await write(key, 'PATCH', '/contacts/late@example.com', { first_name: 'Ann' });
    expect(refused.status).toBe(404);
    await team.api('POST', '/contacts', late);
    expectReplay(await write(key, 'PATCH', '/contacts/late@example.com', { first_name: 'Ann' }), refused);
    expect((await team.api('GET', '/contacts/late@example.com')).body.data.first_name).toBeNull();
  });

  it('has one effect when sent many times at once; the others get its response, or 409 with Retry-After', async () => {
    for (const [path, field] of [
      ['/lists', 'name'],
      ['/tags', 'name'],
      ['/contacts', 'email'],
      ['/api-keys', 'name'],
    ] as const) {
      const key = newKey();
      const body = { [field]: 'at-once@example.com' };
      const answers = await Promise.all(Array.from({ length: 12 }, () => write(key, 'POST', path, body)));
      const served = answers.filter(({ status }) => status === 200);
      expect(served.filter((answer) => !replayed(answer))).toHaveLength(1);
      expect(new Set(served.map((answer) => JSON.stringify(answer.body))).size).toBe(1);
      for (const { status, headers, body: refusal } of answers.filter((answer) => answer.status !== 200))
        expect([status, refusal.code, headers.get('retry-after')]).toEqual([409, 'idempotency_in_progress', '1']);
      const listed = await everyRow(team, path);
      expect(listed.filter((row) => row[field] === 'at-once@example.com')).toHaveLength(1);
      expect((await write(key, 'POST', path, body)).body).toEqual(served[0]!.body);
    }
  });
});

describe('another request under the same Idempotency-Key', () => {
  it('is refused without an effect when method, path, query or body differ', async () => {
    const key = newKey();
    const first = await write(key, 'POST', '/tags', { name: 'Mine' });
    const { id } = first.body.data;
    const count = (await everyRow(team, '/tags')).length;
    for (const [method, path, body] of [
      ['POST', '/tags', { name: 'Other' }],
      ['POST', '/tags', { name: 'Mine', extra: 1 }],
      ['POST', '/tags?x=1', { name: 'Mine' }],
      ['POST', '/lists', { name: 'Mine' }],
      ['PATCH', `/tags/${id}`, { name: 'Mine' }],
      ['DELETE', `/tags/${id}`, undefined],
    ] as const) {
      const refused = await write(key, method, path, body);
      expect([refused.status, refused.body.code]).toEqual([422, 'idempotency_key_reused']);
    }
    expect(await nameOf(`/tags/${id}`)).toBe('Mine');
    expect(await everyRow(team, '/tags')).toHaveLength(count);
    expectReplay(await write(key, 'POST', '/tags', { name: 'Mine' }), first);
  });

  it('is accepted from another team', async () => {
    const other = await newTeam();
    const key = newKey();
    const mine = await write(key, 'POST', '/lists', { name: 'Mine' });
    const theirs = await other.api('POST', '/lists', { name: 'Theirs' }, { 'idempotency-key': key });
    expect([theirs.status, replayed(theirs), theirs.body.data.name]).toEqual([200, false, 'Theirs']);
    expectReplay(await write(key, 'POST', '/lists', { name: 'Mine' }), mine);
  });
});

it('never replays reads', async () => {
  const key = newKey();
  const read = () => team.api('GET', '/lists?per_page=1', undefined, { 'idempotency-key': key });
  await read();
  const made = (await team.api('POST', '/lists', { name: 'Newest' })).body.data;
  const again = await read();
  expect([replayed(again), again.body.data]).toEqual([false, [made]]);
});

it('keeps an Idempotency-Key free when the request lacks a valid key or a scope', async () => {
  const key = newKey();
  const reader = team.withKey(
    (await team.api('POST', '/api-keys', { name: 'R', scopes: ['contacts:read'] })).body.data.key,
  );
  const headers = { 'idempotency-key': key };
  expect((await team.withKey('wrong').api('POST', '/lists', { name: 'Free' }, headers)).status).toBe(401);
  expect((await reader.api('POST', '/lists', { name: 'Free' }, headers)).status).toBe(403);
  const made = await write(key, 'POST', '/lists', { name: 'Free' });
  expect([made.status, replayed(made)]).toEqual([200, false]);
});

it('keeps it free when only the state of the record asks for a scope that the request lacks', async () => {
  const { id } = (await team.api('POST', '/sequences', { name: 'Free' })).body.data;
  const writer = await keyWith(team, ['campaigns:write']);
  const [key, body] = [newKey(), { status: 'active' }];
  const refused = await writer.api('PATCH', `/sequences/${id}`, body, { 'idempotency-key': key });
  expect([refused.status, refused.body.code]).toEqual([403, 'missing_scope']);
  const own = await write(key, 'PATCH', `/sequences/${id}`, body);
  expect([own.status, replayed(own)]).toEqual([422, false]);
});

it('accepts keys of 1 to 255 characters', async () => {
  expect((await write('k'.repeat(255), 'POST', '/lists', { name: 'Long' })).status).toBe(200);
  for (const key of ['', 'k'.repeat(256)]) {
    const refused = await write(key, 'POST', '/lists', { name: 'Long' });
    expect([refused.status, Object.keys(refused.body.errors)]).toEqual([422, ['Idempotency-Key']]);
  }
});
