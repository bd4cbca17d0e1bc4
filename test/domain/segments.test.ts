import { describe, expect, it } from 'vitest';
import { matcher, type SegmentDefinition, type SegmentSubject } from '../../shared/domain/segments.ts';

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

it('takes everybody when nothing is asked for', () => {
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

it('looks at location and company only where they are text, and at metadata.location too', () => {
  expect(match({ company: '7' }, { ...ann, metadata: { ...ann.metadata, company: 7 as never } })).toBe(false);
  expect(match({ location: 'pa' }, { ...ann, metadata: { location: 'Paris' } as never })).toBe(true);
});

it('needs every filter to match', () => {
  expect(match({ tag_ids: [2], search: 'ann', company: 'acme', location: 'köln', date_from: '2026-01-01' })).toBe(true);
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

  it('finds who did within the window, and not_opened and not_clicked are exactly the others', () => {
    expect(found('opened')).toEqual([1, 4]);
    expect(found('not_opened')).toEqual([0, 2, 3]);
    expect(found('clicked')).toEqual([3, 4]);
    expect(found('not_clicked')).toEqual([0, 1, 2]);
  });

  it('inactive is who neither opened nor clicked in it', () => {
    expect(found('inactive')).toEqual([0, 2]);
    expect(found('inactive', 365)).toEqual([0]);
  });

  it('includes the moment at the edge of the window', () => {
    expect(found('opened', 3)).toEqual([1, 4]);
    expect(found('opened', 2)).toEqual([4]);
  });
});
