import { expect, it } from 'vitest';
import type { CampaignItem } from '../../../shared/data/campaigns/campaigns.ts';
import { list, recipientFilters } from '../../../shared/data/campaigns/recipient-listing.ts';
import { recipientPageItem } from '../../../shared/data/campaigns/recipients.ts';
import { keys } from '../../../shared/data/keys.ts';
import { type Direction, readPage } from '../../../shared/data/paging.ts';
import * as table from '../../../shared/data/table.ts';
import { timestamp } from '../../../shared/domain/time.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

const [pageCount, perPage] = [380, 3];
const at = timestamp();

/** The results of a campaign that was sent in part: long runs of pages without a match, and pages without a result. */
function statusesOf(page: number): string | undefined {
  if (page === 2 || page === 130) return 'sps';
  if (page === 250) return '-fu';
  if (page === 251) return undefined;
  return page < 370 ? (page > 140 && page < 249 ? 'fxu' : 'sfs') : undefined;
}

it('every filter lists exactly its recipients, forwards and backwards, past long runs of other pages', async () => {
  const { id: teamId } = await newTeam();
  const campaign = { id: 9, status: 'paused', frozen_at: at } as CampaignItem;
  const pages = Array.from({ length: pageCount }, (_, page) =>
    Array.from({ length: perPage }, (_, index) => `${String(page).padStart(4, '0')}.${index}@example.com`),
  );
  const people = pages.flatMap((emails, page) =>
    emails.map((email, index) => {
      const place = page * perPage + index;
      const opened = place % 7 === 0;
      return {
        email,
        letter: statusesOf(page)?.[index] ?? 'p',
        opened,
        clicked: opened && place % 35 === 0,
        bounced: place % 101 === 0,
      };
    }),
  );
  await table.batchPut([
    ...pages.map((emails, page) => {
      const recipients = emails.map((email) => ({ email, contact_id: 0 }));
      return recipientPageItem(teamId, campaign.id, page, recipients);
    }),
    ...pages.flatMap(([leaf], page) => {
      const statuses = statusesOf(page);
      return statuses
        ? [{ ...keys.page(teamId, campaign.id, page), state: 'done', leaf, statuses, lease_until: at }]
        : [];
    }),
    ...people.flatMap(({ email, opened, clicked, bounced }) =>
      opened || bounced
        ? [
            {
              ...keys.engagement(teamId, campaign.id, email),
              ...(opened && { opened_at: at }),
              ...(clicked && { clicked_at: at }),
              ...(bounced && { bounced_at: at }),
            },
          ]
        : [],
    ),
  ]);
  const wanted: Record<(typeof recipientFilters)[number], (person: (typeof people)[number]) => boolean> = {
    all: () => true,
    pending: ({ letter }) => letter === 'p' || letter === '-',
    sent: ({ letter }) => letter === 's',
    opened: ({ opened }) => opened,
    clicked: ({ clicked }) => clicked,
    bounced: ({ letter, bounced }) => letter === 's' && bounced,
  };
  for (const filter of recipientFilters) {
    const read = async (direction: Direction, start: string | undefined) => {
      const found: (string | null)[] = [];
      let from = start;
      do {
        const page = await readPage(list(teamId, campaign, filter), direction, from, 40);
        const emails = page.items.map(({ email }) => email);
        if (direction === 'forward') found.push(...emails);
        else found.unshift(...emails);
        from = direction === 'forward' ? page.next : page.prev;
      } while (from !== undefined);
      return found;
    };
    const expected = people.filter(wanted[filter]).map(({ email }) => email);
    expect([filter, await read('forward', undefined)]).toEqual([filter, expected]);
    expect([filter, await read('backward', '9999@example.com')]).toEqual([filter, expected]);
  }
});
