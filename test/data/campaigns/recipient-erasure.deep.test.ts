import { expect, inject, it } from 'vitest';
import * as campaigns from '../../../shared/data/campaigns/campaigns.ts';
import * as pageResults from '../../../shared/data/campaigns/page-results.ts';
import { anonymize } from '../../../shared/data/campaigns/recipient-erasure.ts';
import { recipientPageItem } from '../../../shared/data/campaigns/recipients.ts';
import { signingKey } from '../../../shared/data/signing-key.ts';
import * as table from '../../../shared/data/table.ts';
import { campaignStatuses, moves } from '../../../shared/domain/campaigns/status.ts';
import { unsubscribeToken } from '../../../shared/flows/campaigns/unsubscribe-link.ts';
import { useSharedTable } from '../../support/data.ts';
import { rawTable } from '../../support/table.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

it('keeps no erased address as the key of a page that a worker has read, and every link there works', async () => {
  const team = await newTeam();
  const { id: campaign } = await team.data('POST', '/campaigns', { name: 'Erased' });
  const [first, second, third] = ['first', 'second', 'third'].map((name) => `${name}-${team.id}@example.com`) as [
    string,
    string,
    string,
  ];
  const people = [first, second, third].map((email) => ({ email, contact_id: 0 }));
  await table.put({ Item: recipientPageItem(team.id, campaign, 0, people) });
  const erase = (email: string) => anonymize(team.id, { email, contact_id: 0 }, undefined, Date.now() + 60_000);
  const claim = (page: Awaited<ReturnType<typeof read>>, claimId: string) =>
    pageResults.claim(team.id, campaign, page.page!, {
      before: page.result,
      statuses: people.map(() => 'sending'),
      claimId,
    });
  const read = () => pageResults.forSending(team.id, campaign, 0, first);

  const late = await read();
  await erase(first);
  expect(await claim(late, 'late')).toBe(true);
  expect(await claim(late, 'other')).toBe(false);
  expect((await read()).page?.recipients.map(({ email }) => email)).toEqual(['', second, third]);

  // The page was sent in part, and is read again.
  const settlement = { pageNumber: 0, claimId: 'late', before: people.map(() => 'sending' as const) };
  expect(await pageResults.settle(team.id, campaign, { ...settlement, after: ['sent', 'pending', 'sent'] })).toBe(true);
  const again = await read();
  await erase(second);
  expect(await claim(again, 'again')).toBe(true);
  for (const email of [first, second])
    expect((await (await rawTable(inject('folder'))).naming(email)).map(({ pk, sk }) => `${pk} ${sk}`)).toEqual([]);

  const token = unsubscribeToken(await signingKey(), team.id, campaign, {
    email: third,
    contact_id: 0,
    page: 0,
    index: 2,
  });
  const { status } = await fetch(`${inject('origin')}/unsubscribe/${token}`, { method: 'POST' });
  expect(status).toBe(200);
  expect((await team.api('GET', `/suppressions?email=${third}`)).body.data).toMatchObject([{ email: third }]);
});

it('keeps no address as the cursor of a campaign that is paused or over', async () => {
  const team = await newTeam();
  const { id } = await team.data('POST', '/campaigns', { name: 'Cursors' });
  const sweep = { after: `swept-${team.id}@example.com`, queued: 50, base: 0 };
  for (const [cause, status] of [
    ['pause', 'sending'],
    ['cancel', 'paused'],
    ['endFailed', 'sending'],
    ['fail', 'queuing'],
  ] as const) {
    const freeze = { after: sweep.after, pages: 1, recipients: 50 };
    await campaigns.change(team.id, id, campaignStatuses, { status, sweep, freeze });
    const moved = await campaigns.move(team.id, id, cause);
    expect([moved?.status, moved?.sweep, moved?.freeze]).toEqual([moves[cause].to, undefined, undefined]);
  }
  expect(await (await rawTable(inject('folder'))).naming(sweep.after)).toEqual([]);
});
