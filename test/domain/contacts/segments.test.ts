import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  complete,
  engagementTypes,
  matcher,
  pathsOf,
  type SegmentDefinition,
  type SegmentSubject,
} from '../../../shared/domain/contacts/segments.ts';

const now = new Date('2026-11-20T12:00:00Z');
const ann = {
  email: 'ann@shop.example',
  first_name: 'Änn',
  last_name: "O'Hara",
  metadata: { company: 'Acme GmbH', city: 'Köln', country: 'Germany', size: 7 },
  tag_ids: [2, 5],
  created_at: '2026-11-10T23:59:59.999+00:00',
  last_opened_at: '2026-11-18T12:00:00.000+00:00',
};
const match = (definition: SegmentDefinition, contact: SegmentSubject = ann) => matcher(definition, now)(contact);

it('matches every contact without a filter', () => {
  expect(match({})).toBe(true);
  expect(
    match({
      tag_ids: [],
      date_from: null,
      date_to: null,
      search: null,
      company: null,
      location: null,
      engagement: null,
    }),
  ).toBe(true);
});

it.each<[string, SegmentDefinition, boolean]>([
  ['any of the tags', { tag_ids: [9, 5] }, true],
  ['none of the tags', { tag_ids: [9] }, false],
  ['from the day itself', { date_from: '2026-11-10' }, true],
  ['from the next day', { date_from: '2026-11-11' }, false],
  ['to the day itself', { date_to: '2026-11-10' }, true],
  ['to the day before', { date_to: '2026-11-09' }, false],
  ['part of the email', { search: 'SHOP.ex' }, true],
  ['part of the first name', { search: 'änn' }, true],
  ['part of the last name', { search: "o'h" }, true],
  ['what is in none of them', { search: 'acme' }, false],
  ['part of the company', { company: 'acme' }, true],
  ['another company', { company: 'other' }, false],
  ['the city', { location: 'KÖLN' }, true],
  ['the country', { location: 'german' }, true],
  ['another place', { location: 'paris' }, false],
])('matches %s', (_name, definition, expected) => {
  expect(match(definition)).toBe(expected);
});

it('matches location and company only where they are text, and metadata.location too', () => {
  expect(match({ company: '7' }, { ...ann, metadata: { ...ann.metadata, company: 7 as never } })).toBe(false);
  expect(match({ location: 'pa' }, { ...ann, metadata: { location: 'Paris' } as never })).toBe(true);
});

it('needs every filter to match', () => {
  const all = { tag_ids: [2], search: 'ann', company: 'acme', location: 'köln', date_from: '2026-01-01' };
  expect(match(all)).toBe(true);
  expect(match({ tag_ids: [2], search: 'ann', company: 'acme', location: 'paris' })).toBe(false);
});

describe('engagement', () => {
  const at = (daysAgo: number) => new Date(now.getTime() - daysAgo * 86_400_000).toISOString();
  const people = [
    { opened: undefined, clicked: undefined },
    { opened: 3, clicked: undefined },
    { opened: 40, clicked: undefined },
    { opened: 40, clicked: 5 },
    { opened: 1, clicked: 1 },
  ].map(({ opened, clicked }) => ({
    ...ann,
    last_opened_at: opened === undefined ? undefined : at(opened),
    last_clicked_at: clicked === undefined ? undefined : at(clicked),
  }));
  const found = (type: 'opened' | 'not_opened' | 'clicked' | 'not_clicked' | 'inactive', days = 30) =>
    people.flatMap((contact, index) => (match({ engagement: { type, days } }, contact) ? [index] : []));

  it('matches activity within the window; not_opened and not_clicked match exactly the others', () => {
    expect(found('opened')).toEqual([1, 4]);
    expect(found('not_opened')).toEqual([0, 2, 3]);
    expect(found('clicked')).toEqual([3, 4]);
    expect(found('not_clicked')).toEqual([0, 1, 2]);
  });

  it('inactive matches contacts that neither opened nor clicked in it', () => {
    expect(found('inactive')).toEqual([0, 2]);
    expect(found('inactive', 365)).toEqual([0]);
  });

  it('includes the first millisecond of the window', () => {
    expect(found('opened', 3)).toEqual([1, 4]);
    expect(found('opened', 2)).toEqual([4]);
  });
});

it('compares texts without regard to case or composition, in any script', () => {
  const named = (last_name: string, search: string) => match({ search }, { ...ann, last_name });
  for (const [text, part] of [
    ['MÜLLER', 'müller'],
    ['Mu\u0308ller', 'MÜLLER'],
    ['Müller', 'mu\u0308l'],
    ['Groß', 'GROSS'],
    ['GROẞ', 'groß'],
    ['ΟΔΟΣ', 'οδος'],
    ['Οδός', 'ΟΔΌΣ'],
    ['ИВАНОВ', 'иван'],
    ['ﬁnch', 'FINCH'],
  ])
    expect([text, part, named(text!, part!)]).toEqual([text, part, true]);
  expect(named('Müller', 'muller')).toBe(false);
  expect(named('Zoë', 'zoe')).toBe(false);
});

it('decides the same on the attributes it reads as on the whole contact', () => {
  const text = fc.constantFrom('a', 'Ann', 'ö', 'ACME', 'shop');
  const days = fc.nat(400).map((ago) => new Date(now.getTime() - ago * 43_200_000).toISOString());
  const contacts = fc.record({
    email: fc.constantFrom('ann@shop.example', 'bob@acme.example'),
    first_name: fc.option(text, { nil: undefined }),
    last_name: fc.option(text, { nil: undefined }),
    metadata: fc.dictionary(
      fc.constantFrom('company', 'city', 'country', 'location', 'plan'),
      fc.oneof(text, fc.nat()),
    ),
    tag_ids: fc.subarray([1, 2, 3]),
    created_at: days,
    last_opened_at: fc.option(days, { nil: undefined }),
    last_clicked_at: fc.option(days, { nil: undefined }),
  });
  const day = days.map((at) => at.slice(0, 10));
  const definitions = fc.record({
    tag_ids: fc.option(fc.subarray([1, 2, 3])),
    date_from: fc.option(day),
    date_to: fc.option(day),
    search: fc.option(text),
    company: fc.option(text),
    location: fc.option(text),
    engagement: fc.option(
      fc.record({ type: fc.constantFrom(...engagementTypes), days: fc.integer({ min: 1, max: 365 }) }),
    ),
  });
  fc.assert(
    fc.property(contacts, definitions, (contact, definition) => {
      const read: Record<string, unknown> = { email: contact.email };
      for (const path of pathsOf(definition)) {
        const [name, key] = path.split('.') as ['metadata', string?];
        if (key === undefined) read[name] = contact[name];
        else if (key in contact.metadata)
          read.metadata = { ...(read.metadata as object), [key]: contact.metadata[key] };
      }
      expect(match(definition, read as unknown as SegmentSubject)).toBe(match(definition, contact));
      expect(match(complete(definition), contact)).toBe(match(definition, contact));
    }),
    { seed: 20261121, numRuns: 2_000 },
  );
});
