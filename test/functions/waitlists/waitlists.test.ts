import { beforeAll, describe, expect, inject, it } from 'vitest';
import { everyRow, idle, type Message } from '../../support/campaign.ts';
import { bothWays } from '../../support/paging.ts';
import { rawTable } from '../../support/table.ts';
import { call, newTeam, type Team } from '../../support/team.ts';

let team: Team;
beforeAll(async () => {
  team = await newTeam();
});

const data = (method: string, path: string, body?: unknown, of = team) => of.data(method, path, body);

const newWaitlist = (fields: object = {}, of = team) => data('POST', '/waitlists', { name: 'Beta', ...fields }, of);
const signUp = (waitlist: number, email: string, fields: object = {}, of = team) =>
  data('POST', `/waitlists/${waitlist}/signups`, { email, ...fields }, of);
const invite = (waitlist: number, body: object, of = team) => data('POST', `/waitlists/${waitlist}/invite`, body, of);
const every = (waitlist: number) => everyRow(team, `/waitlists/${waitlist}/signups`);

async function refused(method: string, path: string, body?: unknown): Promise<string[]> {
  const answer = await team.api(method, path, body);
  expect([answer.status, answer.body.code]).toEqual([422, 'validation_error']);
  return Object.keys(answer.body.errors);
}

/** The messages that an address received. */
async function messagesTo(address: string): Promise<Message[]> {
  await idle(inject('origin'), team);
  return (await call(`${inject('origin')}/_local/messages?to=${encodeURIComponent(address)}`)).body.data;
}

describe('/waitlists', () => {
  it('creates, shows, changes and lists newest first', async () => {
    const made = await newWaitlist({ name: ' Early Access ', description: 'Soon.' });
    expect(made).toEqual({
      id: expect.any(Number),
      name: 'Early Access',
      slug: expect.stringMatching(/^early-access/),
      status: 'active',
      public_url: `${inject('origin')}/w/${made.slug}`,
      signups_count: 0,
      description: 'Soon.',
      invite_url: null,
    });
    const next = await newWaitlist();
    expect((await data('GET', '/waitlists')).slice(0, 2)).toEqual([next, made]);
    const path = `/waitlists/${made.id}`;
    const invite_url = 'https://example.com/welcome?a=1';
    expect(await data('PATCH', path, { invite_url })).toEqual({ ...made, invite_url });
    expect(await data('PATCH', path, { status: 'closed', description: null, invite_url: null })).toEqual({
      ...made,
      status: 'closed',
      description: null,
    });
    expect(await data('PATCH', path, { name: 'Other' })).toMatchObject({ name: 'Other', slug: made.slug });
    expect(await data('GET', path)).toMatchObject({ name: 'Other', status: 'closed' });
  });

  it('makes slugs from names, with a random suffix when one is taken', async () => {
    const unique = `Çà et là ${Date.now()}`;
    const [first, second] = [await newWaitlist({ name: unique }), await newWaitlist({ name: unique })];
    expect(first.slug).toBe(unique.replace('Çà et là ', 'ca-et-la-'));
    expect(second.slug).toMatch(new RegExp(`^${first.slug}-[a-z0-9]{5}$`));
    expect((await newWaitlist({ name: '日本' })).slug).toMatch(/^waitlist-[a-z0-9]{5}$/);
  });

  it('accepts a given slug once among all teams, and frees it again', async () => {
    const other = await newTeam();
    const slug = `taken-${Date.now()}`;
    const mine = await newWaitlist({ slug });
    expect(mine.slug).toBe(slug);
    const answer = await other.api('POST', '/waitlists', { name: 'Theirs', slug });
    expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, ['slug']]);
    const theirs = await newWaitlist({}, other);
    expect((await other.api('PATCH', `/waitlists/${theirs.id}`, { slug })).status).toBe(422);
    expect(await data('PATCH', `/waitlists/${mine.id}`, { slug })).toEqual(mine);
    expect((await data('PATCH', `/waitlists/${mine.id}`, { slug: `${slug}-2` })).slug).toBe(`${slug}-2`);
    expect((await data('PATCH', `/waitlists/${theirs.id}`, { slug }, other)).slug).toBe(slug);
    await data('DELETE', `/waitlists/${theirs.id}`, undefined, other);
    expect((await newWaitlist({ slug })).slug).toBe(slug);
  });

  it.each([
    [{}, 'name'],
    [{ name: ' ' }, 'name'],
    [{ name: 'x'.repeat(256) }, 'name'],
    [{ name: 'ok', slug: 'Upper' }, 'slug'],
    [{ name: 'ok', slug: 'ab' }, 'slug'],
    [{ name: 'ok', slug: 'a'.repeat(61) }, 'slug'],
    [{ name: 'ok', status: 'open' }, 'status'],
    [{ name: 'ok', invite_url: 'http://example.com' }, 'invite_url'],
    [{ name: 'ok', invite_url: 'javascript:alert(1)' }, 'invite_url'],
    [{ name: 'ok', description: 'x'.repeat(2_001) }, 'description'],
  ])('refuses %#', async (body, field) => {
    expect(await refused('POST', '/waitlists', body)).toEqual([field]);
  });

  it('deletes a waitlist with all its signups: a new one begins empty', async () => {
    const { id, slug } = await newWaitlist();
    for (let index = 0; index < 3; index++) await signUp(id, `gone-${index}@example.com`);
    expect(await data('DELETE', `/waitlists/${id}`)).toEqual({ id, deleted: true });
    for (const path of [`/waitlists/${id}`, `/waitlists/${id}/signups`])
      expect((await team.api('GET', path)).status).toBe(404);
    expect((await team.api('POST', `/waitlists/${id}/signups`, { email: 'late@example.com' })).status).toBe(404);
    expect((await team.api('DELETE', `/waitlists/${id}`)).status).toBe(404);
    expect((await call(`${inject('origin')}/w/${slug}`)).status).toBe(404);
    const again = await newWaitlist({ slug });
    expect([again.signups_count, await every(again.id)]).toEqual([0, []]);
  });
});

describe('/waitlists/{waitlist}/signups', () => {
  it('signs up at the end of the queue, and returns the existing signup of an address', async () => {
    const { id } = await newWaitlist();
    const first = await signUp(id, ' Ann@Example.com', { name: ' Ann ', metadata: { plan: 'pro' } });
    expect(first).toEqual({
      id: expect.any(Number),
      email: 'ann@example.com',
      name: 'Ann',
      position: 1,
      status: 'pending',
      referral_code: expect.stringMatching(/^[2-9A-HJKMNP-Z]{8}$/),
      referrals_count: 0,
    });
    const second = await signUp(id, 'bob@example.com');
    expect(second).toMatchObject({ name: null, position: 2 });
    expect(await signUp(id, 'ann@example.com', { name: 'Other' })).toEqual(first);
    expect((await data('GET', `/waitlists/${id}`)).signups_count).toBe(2);
    expect(await every(id)).toEqual([second, first]);
  });

  it('makes one signup of concurrent requests with one address', async () => {
    const { id } = await newWaitlist();
    const answers = await Promise.all(Array.from({ length: 10 }, () => signUp(id, 'same@example.com')));
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect((await data('GET', `/waitlists/${id}`)).signups_count).toBe(1);
  });

  it('moves the referrer up 3 places for each referral, at most to the front, and counts each once', async () => {
    const { id } = await newWaitlist();
    const people = [];
    for (const name of 'abcdefg') people.push(await signUp(id, `${name}@example.com`));
    const [, , , , , f, g] = people;
    const position = async (email: string) => (await signUp(id, email)).position;
    await signUp(id, 'h@example.com', { referral_code: g.referral_code.toLowerCase() });
    expect(await position('g@example.com')).toBe(4);
    await signUp(id, 'i@example.com', { referral_code: g.referral_code });
    await signUp(id, 'j@example.com', { referral_code: g.referral_code });
    expect(await position('g@example.com')).toBe(1);
    await signUp(id, 'h@example.com', { referral_code: f.referral_code });
    expect(await signUp(id, 'f@example.com')).toMatchObject({ position: 7, referrals_count: 0 });
    expect((await signUp(id, 'g@example.com')).referrals_count).toBe(3);
    const order = (await every(id)).sort((a, b) => a.position - b.position).map(({ email }) => email[0]);
    expect(order.join('')).toBe('gabcdefhij');
  });

  it('counts a referral by a signup that left the queue, without a move, and no self-referral', async () => {
    const { id } = await newWaitlist();
    const [ann, bob] = [await signUp(id, 'ann@example.com'), await signUp(id, 'bob@example.com')];
    await invite(id, { signup_ids: [ann.id] });
    await signUp(id, 'c@example.com', { referral_code: ann.referral_code });
    expect(await signUp(id, 'ann@example.com')).toMatchObject({
      status: 'invited',
      position: null,
      referrals_count: 1,
    });
    await data('DELETE', `/waitlists/${id}/signups/${bob.id}`);
    expect((await signUp(id, 'bob@example.com', { referral_code: bob.referral_code })).referrals_count).toBe(0);
    // A referred signup that returns is not a second referral.
    const [, dan] = [await signUp(id, 'd@example.com', { referral_code: ann.referral_code }), await every(id)];
    await data('DELETE', `/waitlists/${id}/signups/${dan[0].id}`);
    await signUp(id, 'd@example.com', { referral_code: ann.referral_code });
    expect((await signUp(id, 'ann@example.com')).referrals_count).toBe(2);
  });

  it('removes a signup from the queue, and adds it at the end again with the same id and code', async () => {
    const { id } = await newWaitlist();
    const [ann, bob] = [await signUp(id, 'ann@example.com'), await signUp(id, 'bob@example.com')];
    const path = `/waitlists/${id}/signups/${ann.id}`;
    expect(await data('DELETE', path)).toEqual({ waitlist_id: id, signup_id: ann.id, removed: true });
    expect(await data('DELETE', path)).toMatchObject({ removed: false });
    expect(await every(id)).toEqual([
      { ...bob, position: 1 },
      { ...ann, status: 'removed', position: null },
    ]);
    expect((await data('GET', `/waitlists/${id}`)).signups_count).toBe(1);
    expect(await signUp(id, 'ann@example.com')).toEqual({ ...ann, position: 2 });
    expect((await team.api('DELETE', `/waitlists/${id}/signups/999999`)).status).toBe(404);
  });

  it('refuses new signups on a closed waitlist, and still returns existing ones', async () => {
    const { id } = await newWaitlist();
    const ann = await signUp(id, 'ann@example.com');
    await data('PATCH', `/waitlists/${id}`, { status: 'closed' });
    const answer = await team.api('POST', `/waitlists/${id}/signups`, { email: 'bob@example.com' });
    expect([answer.status, answer.body.code]).toEqual([422, 'not_applicable']);
    expect(await signUp(id, 'ann@example.com')).toEqual(ann);
    await data('PATCH', `/waitlists/${id}`, { status: 'active' });
    expect((await signUp(id, 'bob@example.com')).position).toBe(2);
  });

  it('refuses bad addresses, names and metadata, and unknown referral codes', async () => {
    const [{ id }, other] = [await newWaitlist(), await newWaitlist()];
    const { referral_code } = await signUp(other.id, 'ann@example.com');
    for (const [body, field] of [
      [{}, 'email'],
      [{ email: 'nobody' }, 'email'],
      [{ email: 'a@example.com', name: 'x'.repeat(256) }, 'name'],
      [{ email: 'a@example.com', metadata: [] }, 'metadata'],
      [{ email: 'a@example.com', referral_code }, 'referral_code'],
    ] as const)
      expect(await refused('POST', `/waitlists/${id}/signups`, body)).toEqual([field]);
    expect(await every(id)).toEqual([]);
  });

  it('ignores an invalid code on the hosted page, also one cut within a character', async () => {
    const { id, public_url } = await newWaitlist();
    const form = new URLSearchParams({ email: 'ann@example.com', ref: `x${'😀'.repeat(100)}` });
    const { status } = await fetch(public_url, { method: 'POST', body: form, redirect: 'manual' });
    expect(status).toBe(303);
    expect(await every(id)).toMatchObject([{ email: 'ann@example.com' }]);
  });

  it('erases an address on every waitlist, and allows it to sign up again', async () => {
    const [one, other] = [await newWaitlist(), await newWaitlist()];
    const email = `erased-${one.id}@example.com`;
    const first = await signUp(one.id, email, { name: 'Eve', metadata: { secret: 1 } });
    const [next, elsewhere] = [await signUp(one.id, 'next@example.com'), await signUp(other.id, email)];
    await invite(other.id, { count: 1 });
    await data('POST', '/contacts', { email });
    await data('POST', `/contacts/${email}/erase`);
    const gone = { email: 'erased@anonymized.invalid', name: null, status: 'removed', position: null };
    expect(await every(one.id)).toEqual([
      { ...next, position: 1 },
      { ...first, ...gone },
    ]);
    expect(await every(other.id)).toEqual([{ ...elsewhere, ...gone }]);
    expect((await data('GET', `/waitlists/${one.id}`)).signups_count).toBe(1);
    const anew = await signUp(one.id, email, { referral_code: first.referral_code });
    expect([anew.id === first.id, anew.name, anew.position]).toEqual([false, null, 2]);
  });

  it('lists newest first, forwards and backwards, with every position', async () => {
    const { id } = await newWaitlist();
    for (let index = 0; index < 11; index++) await signUp(id, `row-${index}@example.com`);
    const rows = await bothWays(team, `/waitlists/${id}/signups`, 4);
    expect(rows.map(({ position }) => position)).toEqual([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  });
});

describe('POST /waitlists/{waitlist}/invite', () => {
  it('invites pending signups by id, in the given order, and leaves the others out of the answer', async () => {
    const { id } = await newWaitlist();
    const [a, b, c] = [
      await signUp(id, 'a@example.com'),
      await signUp(id, 'b@example.com'),
      await signUp(id, 'c@example.com'),
    ];
    const answer = await invite(id, { signup_ids: [c.id, a.id, c.id] });
    expect(answer).toEqual({ waitlist_id: id, invited: 2, signup_ids: [c.id, a.id] });
    expect(await invite(id, { signup_ids: [a.id, c.id] })).toEqual({ waitlist_id: id, invited: 0, signup_ids: [] });
    expect(await every(id)).toEqual([
      { ...c, status: 'invited', position: null },
      { ...b, position: 1 },
      { ...a, status: 'invited', position: null },
    ]);
    expect((await data('GET', `/waitlists/${id}`)).signups_count).toBe(3);
  });

  it('invites the next signups by position, over several transactions, and fewer when there are fewer', async () => {
    const { id } = await newWaitlist();
    const people = [];
    for (let index = 0; index < 70; index++) people.push(await signUp(id, `next-${index}@example.com`));
    await signUp(id, 'referred@example.com', { referral_code: people[65].referral_code });
    const queue = people.map((person) => person.id);
    queue.splice(62, 0, ...queue.splice(65, 1));
    expect((await invite(id, { count: 64 })).signup_ids).toEqual(queue.slice(0, 64));
    expect(await invite(id, { count: 1_000 })).toMatchObject({ invited: 7 });
    expect(await invite(id, { count: 1 })).toMatchObject({ invited: 0, signup_ids: [] });
  });

  it('skips suppressed addresses, which stay pending and keep their place', async () => {
    const { id } = await newWaitlist();
    const people = [];
    for (const name of ['s1', 's2', 'x', 's3', 'y', 'z']) people.push(await signUp(id, `${name}@example.com`));
    for (const name of ['s1', 's2', 's3'])
      await data('POST', '/suppressions', { email: `${name}@example.com`, reason: 'manual' });
    expect((await invite(id, { count: 2 })).signup_ids).toEqual([people[2].id, people[4].id]);
    expect(await invite(id, { signup_ids: people.map((person) => person.id) })).toMatchObject({
      signup_ids: [people[5].id],
    });
    expect((await signUp(id, 's3@example.com')).position).toBe(3);
    expect(await messagesTo('s1@example.com')).toEqual([]);
    await data('DELETE', '/suppressions', { email: 's1@example.com' });
    expect((await invite(id, { count: 5 })).signup_ids).toEqual([people[0].id]);
  });

  it('invites no more signups when repeated under the same Idempotency-Key', async () => {
    const { id } = await newWaitlist();
    for (let index = 0; index < 5; index++) await signUp(id, `key-${index}@example.com`);
    const again = () =>
      team.api('POST', `/waitlists/${id}/invite`, { count: 2 }, { 'idempotency-key': `invite-${id}` });
    expect((await again()).body).toEqual((await again()).body);
    expect((await every(id)).filter(({ status }) => status === 'invited')).toHaveLength(2);
  });

  it('refuses ids of other waitlists, and then invites no signup', async () => {
    const [{ id }, other] = [await newWaitlist(), await newWaitlist()];
    const ann = await signUp(id, 'ann@example.com');
    const elsewhere = await signUp(other.id, 'bob@example.com');
    const signup_ids = [ann.id, ann.id, elsewhere.id, 999_999];
    const fields = await refused('POST', `/waitlists/${id}/invite`, { signup_ids });
    expect(fields).toEqual(['signup_ids.2', 'signup_ids.3']);
    expect(await every(id)).toEqual([ann]);
  });

  it.each([
    [{}],
    [{ count: 1, signup_ids: [1] }],
    [{ count: 0 }],
    [{ count: 1_001 }],
    [{ signup_ids: Array.from({ length: 1_001 }, (_, index) => index + 1) }],
    [{ signup_ids: ['a'] }],
  ])('refuses %#', async (body) => {
    const { id } = await newWaitlist();
    await refused('POST', `/waitlists/${id}/invite`, body);
  });
});

describe('the invitation', () => {
  it('is one message to each signup, from the team and its domain, with its own link', async () => {
    const { id, slug } = await newWaitlist({ name: 'Rocket <b>& Co' });
    const people = ['mail-a', 'mail-b'].map((name) => `${name}-${id}@${team.domain}`);
    for (const email of people) await signUp(id, email);
    await invite(id, { count: 5 });
    const [[message, ...more], [other]] = [await messagesTo(people[0]!), await messagesTo(people[1]!)];
    expect(more).toEqual([]);
    expect(message).toMatchObject({
      subject: 'You are invited to Rocket <b>& Co',
      from: `Test <no-reply@${team.domain}>`,
    });
    expect(message!.html).toContain('Rocket ');
    expect(message!.html).not.toContain('<b>');
    const link = (text: string) => /https?:\/\/\S+\/w\/\S+/.exec(text)![0];
    expect(link(message!.text)).toContain(`${inject('origin')}/w/${slug}/`);
    expect(message!.html).toContain(`href="${link(message!.text)}"`);
    expect(link(other!.text)).not.toBe(link(message!.text));
  });

  it('is sent once to an address on a waitlist, also when it is removed or erased and invited again', async () => {
    const [{ id }, other] = [await newWaitlist(), await newWaitlist()];
    const email = `again-${id}@${team.domain}`;
    const signup = await signUp(id, email);
    await invite(id, { count: 1 });
    expect(await messagesTo(email)).toHaveLength(1);
    await data('DELETE', `/waitlists/${id}/signups/${signup.id}`);
    await signUp(id, email);
    expect(await invite(id, { count: 1 })).toMatchObject({ signup_ids: [signup.id] });
    await data('POST', '/contacts', { email });
    await data('POST', `/contacts/${email}/erase`);
    await signUp(id, email);
    expect(await invite(id, { count: 1 })).toMatchObject({ invited: 1 });
    expect(await messagesTo(email)).toHaveLength(1);
    await signUp(other.id, email);
    await invite(other.id, { count: 1 });
    expect(await messagesTo(email)).toHaveLength(2);
  });

  it('has a link and the headers that end all messages of the team to the address, with one click', async () => {
    const [{ id }, other] = [await newWaitlist(), await newWaitlist()];
    const email = `never-${id}@${team.domain}`;
    await signUp(id, email);
    await signUp(other.id, email);
    await invite(id, { count: 1 });
    const [message] = await messagesTo(email);
    const url = /<(.+)>/.exec(message!.headers['List-Unsubscribe']!)![1]!;
    expect(message!.headers['List-Unsubscribe-Post']).toBe('List-Unsubscribe=One-Click');
    expect(message!.text).toContain(`Get no more messages from this sender: ${url}`);
    expect(message!.html).toContain(`href="${url}"`);
    expect((await call(url)).body).toContain(email);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await call(url, 'POST', 'List-Unsubscribe=One-Click', form)).status).toBe(200);
    const suppression = (await data('GET', '/suppressions')).find((row: { email: string }) => row.email === email);
    expect(suppression).toMatchObject({ reason: 'unsubscribe', source: 'one_click' });
    expect(await invite(other.id, { count: 1 })).toMatchObject({ invited: 0 });
    expect(await messagesTo(email)).toHaveLength(1);
  });

  it('takes an email of the allowance: too few for all of them are 422, and nobody is invited', async () => {
    const own = await newTeam({ plan: 'business' });
    const month = new Date().toISOString().slice(0, 7);
    const table = await rawTable(inject('folder'));
    await table.write([{ pk: `TEAM#${own.id}`, sk: `USAGE#${month}`, emails: 999_998 }]);
    const { id } = await newWaitlist({}, own);
    const people = [];
    for (const name of 'abc') people.push(await signUp(id, `${name}-${own.id}@example.com`, {}, own));
    const ids = people.map((person) => person.id);
    for (const body of [{ count: 5 }, { signup_ids: ids }]) {
      const refusal = await own.api('POST', `/waitlists/${id}/invite`, body);
      expect([refusal.status, refusal.body.code]).toEqual([422, 'plan_allowance_exceeded']);
    }
    expect(await invite(id, { signup_ids: ids.slice(0, 2) }, own)).toMatchObject({ invited: 2 });
    await idle(inject('origin'), own);
    expect((await own.api('POST', `/waitlists/${id}/invite`, { count: 1 })).body.code).toBe('plan_allowance_exceeded');
    expect(await invite(id, { signup_ids: ids.slice(0, 2) }, own)).toMatchObject({ invited: 0 });
    expect((await data('GET', `/waitlists/${id}/signups`, undefined, own))[0]).toMatchObject({ status: 'pending' });
  });

  it('is not sent for a team without a verified domain, though the signup is invited', async () => {
    const { body } = await call(`${inject('origin')}/_local/teams`, 'POST', {
      name: 'None',
      plan: 'business',
      domains: [],
    });
    const bare = team.withKey(body.api_key);
    const { id } = await newWaitlist({}, bare);
    const signup = await signUp(id, `bare-${id}@example.com`, {}, bare);
    expect(await invite(id, { count: 1 }, bare)).toMatchObject({ signup_ids: [signup.id] });
    expect(await messagesTo(signup.email)).toEqual([]);
    expect(await signUp(id, signup.email, {}, bare)).toMatchObject({ status: 'invited' });
  });
});
