import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventTypes } from '../../../shared/domain/events/delivery-event.ts';
import { bothWays } from '../../support/paging.ts';
import { all, campaigns, contacts, people, stranger, team } from './list-events.setup.ts';

it('lists exactly the events that match any combination of filters, page by page and back', async () => {
  const moments = [...new Set(all.map(({ created_at }) => created_at))];
  const maybe = <T>(given: fc.Arbitrary<T>) =>
    fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 2, arbitrary: given });
  const filters = fc.record({
    event: maybe(fc.constantFrom(...eventTypes)),
    email: maybe(fc.constantFrom(...people.map(({ email }) => email), stranger, 'nobody@example.com')),
    campaign_id: maybe(fc.constantFrom(...campaigns, 999_999)),
    contact_id: maybe(fc.constantFrom(...contacts, 999_999)),
    since: maybe(fc.constantFrom(...moments)),
    until: maybe(fc.constantFrom(...moments)),
    include_machine_opens: maybe(fc.boolean()),
  });
  await fc.assert(
    fc.asyncProperty(filters, fc.integer({ min: 3, max: 40 }), async (filter, size) => {
      const given = Object.entries(filter).filter(([, value]) => value !== undefined);
      const query = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
      const { event, email, campaign_id, contact_id, since, until, include_machine_opens } = filter;
      const wanted = all.filter(
        (row) =>
          (event ?? row.event) === row.event &&
          (email ?? row.email) === row.email &&
          (campaign_id === undefined || campaign_id === row.campaign_id) &&
          (contact_id === undefined || contact_id === row.contact_id) &&
          (since === undefined || row.created_at >= since) &&
          (until === undefined || row.created_at <= until) &&
          (include_machine_opens || !row.is_machine_open),
      );
      expect(await bothWays(team, `/events?${query}`, size)).toEqual(wanted);
    }),
    { seed: 20261121, numRuns: 40 },
  );
});
