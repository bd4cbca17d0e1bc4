import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SegmentDefinition } from '../../../shared/domain/contacts/segments.ts';
import { everyRow } from '../../support/campaign.ts';
import { data, day, emails, expected, firstList, now, people, preview, tags, team } from './segments.setup.ts';

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 2 });
const date = fc.nat(60).map((days) => new Date(now - days * day * 1000).toISOString().slice(0, 10));
const definitions = fc
  .record({
    tag_ids: maybe(fc.subarray([0, 1, 2, 3]).map((places) => places.map((place) => tags[place]!))),
    dates: maybe(fc.array(maybe(date), { minLength: 2, maxLength: 2 })),
    search: maybe(fc.constantFrom('MÜLLER', 'mu\u0308l', 'an', 'ZOË', 'people', 'm1', 'ß')),
    company: maybe(fc.constantFrom('acme', 'BÜCHER', '7')),
    location: maybe(fc.constantFrom('köln', 'PARIS', 'york')),
    engagement: maybe(
      fc.record({
        type: fc.constantFrom('opened', 'not_opened', 'clicked', 'not_clicked', 'received', 'inactive'),
        days: fc.constantFrom(1, 10, 11, 50, 51, 52, 365),
      }),
    ),
  })
  .map(({ dates, ...rest }): SegmentDefinition => {
    const [date_from = null, date_to = null] = dates?.every(Boolean) ? [...dates].sort() : (dates ?? []);
    return { ...rest, date_from, date_to } as SegmentDefinition;
  });

it('previews, listings and estimates find exactly the contacts that match, for any definition', async () => {
  const segment = (await data('POST', '/segments', { name: 'Any' })).id;
  const draft = (await data('POST', '/campaigns', { name: 'Any', contact_list_id: firstList })).id;
  let matching = 0;
  await fc.assert(
    fc.asyncProperty(definitions, async (definition) => {
      const wanted = expected(definition);
      if (wanted.length > 0) matching++;
      const { count, sample } = await preview(definition);
      expect([count, emails(sample)]).toEqual([wanted.length, wanted.slice(0, 10)]);
      await data('PATCH', `/segments/${segment}`, { name: 'Any', definition });
      expect((await data('POST', `/segments/${segment}/preview`)).count).toBe(wanted.length);
      expect(emails(await everyRow(team, `/contacts?segment_id=${segment}&status=active`))).toEqual(wanted);
      await data('PATCH', `/campaigns/${draft}`, { name: 'Any', audience_filters: definition });
      const { estimated_recipients } = await data('POST', `/campaigns/${draft}/preflight`);
      const onList = people.filter(({ lists }) => lists.some(({ id }) => id === firstList)).map(({ email }) => email);
      expect(estimated_recipients).toBe(wanted.filter((email) => onList.includes(email)).length);
    }),
    { seed: 20261121, numRuns: 40 },
  );
  expect(matching).toBeGreaterThan(10);
}, 120_000);
