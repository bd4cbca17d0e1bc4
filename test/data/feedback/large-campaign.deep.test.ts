import { expect, it } from 'vitest';
import { recipientPageItem } from '../../../shared/data/campaigns/recipients.ts';
import * as deliveries from '../../../shared/data/events/deliveries.ts';
import { noteDay, queuedEvents, sentEvents } from '../../../shared/data/events/rows.ts';
import { list } from '../../../shared/data/feedback/event-listing.ts';
import type { ListedEvent } from '../../../shared/data/feedback/listed-event.ts';
import { keys } from '../../../shared/data/keys.ts';
import { type Direction, readPage } from '../../../shared/data/paging.ts';
import * as table from '../../../shared/data/table.ts';
import { placeIn } from '../../../shared/domain/events/place.ts';
import { timestamp } from '../../../shared/domain/time.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

const campaign = 1;
// The places of page 100,001 less 4,194,304 are on page 16,114.
const pages = [0, 16_114, 100_001, 200_000];
const size = 3;
const emailOf = (page: number, index: number) => `p${String(placeIn(page, index)).padStart(8, '0')}@example.com`;

async function everyEmail(teamId: number, event: ListedEvent['event'], direction: Direction): Promise<string[]> {
  const found: string[] = [];
  for (let from: string | undefined; ; ) {
    const page = await readPage(list(teamId, { campaign_id: campaign, event }), direction, from, 4);
    const emails = page.items.map(({ email }) => email);
    if (direction === 'forward') found.push(...emails);
    else found.unshift(...emails);
    from = direction === 'forward' ? page.next : page.prev;
    if (from === undefined) return found;
  }
}

it("lists the ten-millionth recipient's events once and in order, both ways, from cursors between them", async () => {
  const { id: teamId } = await newTeam();
  const at = timestamp(Date.now() - 60_000);
  await noteDay(teamId, at);
  await table.put({ Item: await queuedEvents(teamId, campaign, at) });
  for (const page of pages) {
    const own = Array.from({ length: size }, (_, index) => ({ email: emailOf(page, index), contact_id: 1 }));
    const leaf = recipientPageItem(teamId, campaign, page, own);
    await table.put({ Item: leaf });
    const result = { state: 'done', leaf: leaf.sk, statuses: 's'.repeat(size), sent_at: at };
    await table.put({ Item: { ...keys.page(teamId, campaign, page), ...result } });
    await table.put({ Item: await sentEvents(teamId, campaign, page, at, undefined) });
    const places = own.map((_recipient, index) => ({ place: placeIn(page, index), at }));
    await deliveries.store(teamId, campaign, places, false);
  }
  const everyone = pages.flatMap((page) => Array.from({ length: size }, (_, index) => emailOf(page, index))).reverse();
  for (const event of ['queued', 'sent', 'delivered'] as const)
    for (const direction of ['forward', 'backward'] as const)
      expect(await everyEmail(teamId, event, direction)).toEqual(everyone);
});
