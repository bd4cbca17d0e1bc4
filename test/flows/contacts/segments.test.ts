import { describe, expect, it } from 'vitest';
import type { SegmentDefinition } from '../../../shared/domain/contacts/segments.ts';
import { acceptedAddresses, ended, readyCampaign } from '../../support/campaign.ts';
import { data, emails, expected, firstCampaign, people, preview, stack, tags, team } from './segments.setup.ts';

describe('received', () => {
  const received = (days: number) => ({ type: 'received', days }) as const;

  it('finds the recipients of a campaign in the window, also scattered in a large one', async () => {
    expect(emails((await preview({ engagement: received(52), tag_ids: [tags[3]!] })).sample)).toEqual([
      'm0@crowd.example',
      'm999@crowd.example',
    ]);
    expect((await preview({ engagement: received(50), tag_ids: [tags[3]!] })).count).toBe(0);
    expect((await preview({ engagement: received(52) })).count).toBe(expected({ engagement: received(52) }).length);
  });

  it('counts a campaign that was deleted since, and not an erased contact that was created again', async () => {
    const before = expected({ engagement: received(365) });
    await data('DELETE', `/campaigns/${firstCampaign}`);
    expect((await preview({ engagement: received(365) })).count).toBe(before.length);
    await data('POST', '/contacts/m500@crowd.example/erase');
    await data('POST', '/contacts', { email: 'm500@crowd.example' });
    expect((await preview({ engagement: received(365), search: 'm500@' })).count).toBe(0);
    expect((await preview({ engagement: received(365) })).count).toBe(before.length - 1);
  });
});

it('a campaign is sent to exactly its segment, as it was when the campaign copied it', async () => {
  const definition: SegmentDefinition = { search: 'people', engagement: { type: 'not_opened', days: 20 } };
  const { id } = await data('POST', '/segments', { name: 'Quiet', definition });
  const { campaign } = await readyCampaign(team, [], { segment_id: id });
  const list = await data('GET', '/lists?per_page=1').then(([newest]) => newest.id);
  await data('PATCH', `/segments/${id}`, { name: 'Quiet', definition: { search: 'nobody' } });
  const members = await Promise.all(people.slice(0, 80).map(({ email }) => data('GET', `/contacts/${email}`)));
  await data('POST', `/lists/${list}/contacts`, { contact_ids: members.map((contact) => contact.id) });
  await data('POST', `/campaigns/${campaign}/send`);
  const after = await ended(stack.origin, team, campaign);
  const wanted = expected(definition).filter((email) => members.some((contact) => contact.email === email));
  expect(wanted.length).toBeGreaterThan(10);
  expect(after).toMatchObject({ status: 'sent', total_recipients: wanted.length });
  expect(await acceptedAddresses(stack.origin, team, campaign)).toEqual(wanted);
});
