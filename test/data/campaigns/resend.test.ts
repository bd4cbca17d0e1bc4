import { expect, it } from 'vitest';
import * as campaigns from '../../../shared/data/campaigns/campaigns.ts';
import * as pageResults from '../../../shared/data/campaigns/page-results.ts';
import * as recipients from '../../../shared/data/campaigns/recipients.ts';
import * as sends from '../../../shared/data/campaigns/sends.ts';
import type { LedgerStatus } from '../../../shared/domain/campaigns/recipient-ledger.ts';
import { timestamp } from '../../../shared/domain/time.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

const charge = { emails: 2, month: '2026-11' };
const counts = { sent: 1, failed: 0, suppressed: 0, unknown: 1 };

async function campaignThat(status: 'sending' | 'partial') {
  const team = await newTeam();
  const { id } = await team.data('POST', '/campaigns', { name: 'Campaign' });
  const change = { status, charge, run: 1, total_recipients: 2 };
  return { team, campaign: (await campaigns.change(team.id, id, ['draft'], change))! };
}

it('a late job or workflow step that has read the campaign before a resend does not end it', async () => {
  const { team, campaign } = await campaignThat('partial');
  const resent = { run: 2, resent_at: timestamp() };
  expect(await campaigns.handOver(team.id, campaign.id, { cause: 'resend' }, resent, { run: 1 })).toBe(true);
  const outcome = { cause: 'endPartial', failure_reason: 'late' } as const;
  expect(await sends.settled(team.id, campaign, counts, 0, outcome)).toBe(false);
  const outbox = { kind: 'notices', team_id: team.id, notices: [], at: '', pk: `TEST#${team.id}`, sk: 'late' } as const;
  expect(await sends.end(team.id, campaign, counts, outcome, { ...outbox, notices: [] })).toBe(false);
  expect(await campaigns.find(team.id, campaign.id)).toMatchObject({ status: 'sending', run: 2 });
});

it('a page that is being sent stays so when other recipients on it are settled', async () => {
  const { team, campaign } = await campaignThat('sending');
  const people = ['a', 'b'].map((name) => ({ email: `${name}@example.com`, contact_id: 0 }));
  const page = recipients.fromItem(recipients.recipientPageItem(team.id, campaign.id, 0, people));
  const statuses: LedgerStatus[] = ['unknown', 'sending'];
  const claim = { before: undefined, statuses, claimId: 'claim' };
  expect(await pageResults.claim(team.id, campaign.id, page, claim)).toBe(true);
  const settlement = {
    pageNumber: 0,
    claimId: 'claim',
    before: statuses,
    after: ['sent', 'sending'] as LedgerStatus[],
  };
  expect(await pageResults.settle(team.id, campaign.id, settlement)).toBe(true);
  expect(await pageResults.find(team.id, campaign.id, 0)).toMatchObject({ state: 'sending', statuses: 's-' });
});
