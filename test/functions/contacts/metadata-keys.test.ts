import { beforeAll, describe, expect, it } from 'vitest';
import { control, newTeam, type Team } from '../../support/team.ts';

/** Names with a meaning in JavaScript, and one that looks like the stored form of such a name. */
const names = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', '\\constructor'];
const data = Object.fromEntries([
  ...names.map((name) => [name, `value of ${name}`]),
  ['nested', [Object.fromEntries(names.map((name) => [name, { name: 'Set', length: 1 }]))]],
]);

let team: Team;

beforeAll(async () => {
  team = await newTeam();
});

/** As text: to most ways of comparing, `__proto__` is no key. */
const sorted = (value: unknown): string =>
  JSON.stringify(value, (_key, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

describe('metadata with names that JavaScript reserves', () => {
  it.each(['POST /contacts', 'POST /contacts/bulk'])('is kept as given by %s', async (route) => {
    const contact = { email: `${route.length}@example.com`, metadata: data };
    const path = route.slice('POST '.length);
    const answer = await team.data('POST', path, path.endsWith('bulk') ? { contacts: [contact] } : contact);
    if (!path.endsWith('bulk')) expect(sorted(answer.metadata)).toBe(sorted(data));
    expect(sorted((await team.data('GET', `/contacts/${contact.email}`)).metadata)).toBe(sorted(data));
  });

  it('merges by key, and null removes', async () => {
    const { id } = await team.data('POST', '/contacts', { email: 'merged@example.com', metadata: data });
    const patch = JSON.parse('{"__proto__": {"polluted": true}, "constructor": null, "other": 1}');
    const { constructor: _removed, ...rest } = data;
    const after = { ...rest, ...JSON.parse('{"__proto__": {"polluted": true}, "other": 1}') };
    expect(sorted((await team.data('PATCH', `/contacts/${id}`, { metadata: patch })).metadata)).toBe(sorted(after));
    expect(sorted((await team.data('GET', `/contacts/${id}`)).metadata)).toBe(sorted(after));
    const { metadata } = await team.data('POST', '/contacts', { email: 'clean@example.com' });
    expect([sorted(metadata), 'polluted' in metadata]).toEqual(['{}', false]);
  });

  it('is kept with an event', async () => {
    const event = { email: 'event@example.com', event: 'clicked', metadata: { ...data, url: 'https://a.example/' } };
    await team.data('POST', '/events', { events: [event] });
    const [listed] = await team.data('GET', '/events?email=event@example.com');
    expect(sorted(listed.metadata)).toBe(sorted(event.metadata));
    const wrong = { ...event, metadata: { ...data, bot: 'yes' } };
    const { status, body } = await team.api('POST', '/events', { events: [wrong] });
    expect([status, body.errors]).toEqual([422, { 'events.0.metadata.bot': ['must be true or false'] }]);
  });

  it('is taken with a signup', async () => {
    const waitlist = await team.data('POST', '/waitlists', { name: 'Reserved' });
    const path = `/waitlists/${waitlist.id}/signups`;
    const signup = await team.data('POST', path, { email: 'signup@example.com', metadata: data });
    expect(await team.data('GET', path)).toEqual([signup]);
  });

  it('is refused like any other where it is too deep, by its name', async () => {
    const deep = JSON.parse(`{"__proto__": ${'{"a":'.repeat(11)}1${'}'.repeat(11)}}`);
    const { status, body } = await team.api('POST', '/contacts', { email: 'deep@example.com', metadata: deep });
    expect([status, Object.keys(body.errors)]).toEqual([422, ['metadata.__proto__']]);
  });

  it('has values that messages merge, and merges none that nobody gave', async () => {
    const html = `${names
      .slice(0, 4)
      .map((name) => `[{{${name}}}]`)
      .join('')}[{{valueOf}}]`;
    const message = { from_email: `me@${team.domain}`, subject: 'Reserved', html, to: 'reserved@example.com' };
    await team.data('POST', '/send', { ...message, variables: data });
    const { body } = await control('GET', `/messages?to=${message.to}`);
    expect(body.data[0].html).toBe(
      `${names
        .slice(0, 4)
        .map((name) => `[value of ${name}]`)
        .join('')}[]`,
    );
  });

  it('must be an object', async () => {
    for (const metadata of [[], 'text', null, 1]) {
      const { status, body } = await team.api('POST', '/contacts', { email: 'wrong@example.com', metadata });
      expect([status, body.errors]).toEqual([422, { metadata: ['must be an object'] }]);
    }
  });
});
