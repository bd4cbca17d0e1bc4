import { beforeAll, describe, expect, it } from 'vitest';
import { everyRow } from '../../support/campaign.ts';
import { newTeam, type Team } from '../../support/team.ts';

let team: Team;
beforeAll(async () => {
  team = await newTeam();
});

const data: Team['data'] = (...request) => team.data(...request);

/** Addresses as they are written and as they are stored. */
const accepted: [string, string][] = [
  ['ann+news@example.com', 'ann+news@example.com'],
  ['ann+a+b@example.com', 'ann+a+b@example.com'],
  ['first.middle.last@example.com', 'first.middle.last@example.com'],
  ['firstmiddlelast@example.com', 'firstmiddlelast@example.com'],
  ['  Upper.Case+TAG@Example.COM \t', 'upper.case+tag@example.com'],
  ["o'hara@example.com", "o'hara@example.com"],
  ['50%off@example.com', '50%off@example.com'],
  ['%2b@example.com', '%2b@example.com'],
  ['a/b@example.com', 'a/b@example.com'],
  ['a?b=c&d#e@example.com', 'a?b=c&d#e@example.com'],
  ['12345@example.com', '12345@example.com'],
  ['_@example.com', '_@example.com'],
  ['ann@xn--exmple-cua.com', 'ann@xn--exmple-cua.com'],
  ['ann@sub.domain.museum', 'ann@sub.domain.museum'],
  [`${'l'.repeat(64)}@example.com`, `${'l'.repeat(64)}@example.com`],
];

const refused: [string, string][] = [
  ['"ann lee"@example.com', 'quoted local parts'],
  ['josé@example.com', 'letters outside ASCII before the @'],
  ['\u212aate@example.com', 'letters outside ASCII before the @'],
  ['ann@exämple.com', 'xn--exmple-cua.com'],
  ['ann@example', 'not a valid domain name'],
  ['ann lee@example.com', 'not a valid email address'],
  ['ann@example.com, bob@example.com', 'not a valid email address'],
  ['Ann <ann@example.com>', 'not a valid email address'],
  [`${'l'.repeat(65)}@example.com`, 'at most 64 characters'],
];

describe.each(accepted)('the address %j', (written, email) => {
  it('is found as it was written and as it is stored, by upsert, path, listing and query', async () => {
    const { id, email: stored } = await data('POST', '/contacts', { email: written });
    expect(stored).toBe(email);
    for (const given of [written, email, email.toUpperCase(), ` ${email} `])
      expect((await data('GET', `/contacts/${encodeURIComponent(given)}`)).id).toBe(id);
    const [row] = (await team.api('POST', '/contacts/bulk', { contacts: [{ email: written }] })).body.data;
    expect(row).toMatchObject({ id, email, created: false });
    expect((await everyRow(team, '/contacts')).filter((contact) => contact.email === email)).toMatchObject([{ id }]);
  });

  it('is suppressed, found by its filter and lifted', async () => {
    const made = await data('POST', '/suppressions', { email: written, reason: 'manual' });
    expect(made.email).toBe(email);
    for (const given of [written, email, email.toUpperCase()])
      expect(await data('GET', `/suppressions?email=${encodeURIComponent(given)}`)).toEqual([made]);
    expect(await data('DELETE', '/suppressions', { email: written })).toEqual({ status: 'removed' });
  });
});

describe.each(refused)('the address %j', (written, reason) => {
  it(`is refused wherever it is written, with the reason: ${reason}`, async () => {
    const attempts: [string, string, object, string][] = [
      ['POST', '/contacts', { email: written }, 'email'],
      ['POST', '/contacts/bulk', { contacts: [{ email: 'ann@example.com' }, { email: written }] }, 'contacts.1.email'],
      ['POST', '/suppressions', { email: written, reason: 'manual' }, 'email'],
      ['DELETE', '/suppressions', { email: written }, 'email'],
    ];
    for (const [method, path, body, field] of attempts) {
      const answer = await team.api(method, path, body);
      expect([answer.status, answer.body.errors?.[field]]).toEqual([422, [expect.stringContaining(reason)]]);
    }
    expect((await team.api('GET', `/contacts/${encodeURIComponent(written)}`)).status).toBe(404);
  });
});

describe('names', () => {
  it.each([
    ['composed', 'Zo\u00eb'],
    ['decomposed', 'Zoe\u0308'],
    ['right to left', '\u0645\u062d\u0645\u062f'],
    ['both directions, with marks', '\u200fAnn \u05d0\u05d1\u200e (\u05d2)'],
    ['emoji of several characters', '👩‍👩‍👧‍👦 Ann 🏳️‍🌈'],
    ['outside the basic plane', '𠮷野 𝔄𝔫𝔫'],
    ['ideographs with a wide space', '山田\u3000太郎'],
    ['markup and quotes', '<b>"Ann" & O\'Hara</b> {{first_name}}'],
    ['255 emoji-free characters', 'ž'.repeat(255)],
  ])('come back exactly as they were written: %s', async (_name, name) => {
    const email = 'named@example.com';
    const short = name.slice(0, 100);
    const written = { first_name: name, last_name: name, metadata: { [short]: name, company: name } };
    expect(await data('POST', '/contacts', { email, ...written })).toMatchObject(written);
    await data('PATCH', `/contacts/${email}`, { first_name: 'Other' });
    expect(await data('PATCH', `/contacts/${email}`, written)).toMatchObject(written);
    await team.api('POST', '/contacts/bulk', { contacts: [{ email, ...written }] });
    expect(await data('GET', `/contacts/${email}`)).toMatchObject(written);
    await data('PATCH', `/contacts/${email}`, { metadata: { [short]: null } });
    const { id } = await data('POST', '/lists', { name: short, description: short });
    expect(await data('GET', `/lists/${id}`)).toMatchObject({ name: short, description: short });
    // Composed and decomposed accents make the same tag name.
    const tag = await data('POST', '/tags', { name: short });
    expect((await data('GET', `/tags/${tag.id}`)).name).toBe(short.normalize('NFC'));
    await data('DELETE', `/tags/${tag.id}`);
  });
});
