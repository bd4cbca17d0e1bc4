import type { CampaignItem } from '../data/campaigns.ts';
import * as campaigns from '../data/campaigns.ts';
import * as lists from '../data/lists.ts';
import { largestUnreviewed } from '../domain/reputation.ts';
import { contentFindings } from '../domain/screening.ts';
import { countAudience } from './audience.ts';
import { largestSend } from './sending-record.ts';
import { tellingOf } from './tell-of-campaign.ts';

/** Screens a launched campaign's content and audience: clean ones go on to queuing, others are held for an operator with the findings. */
export async function screen(teamId: number, campaign: CampaignItem): Promise<void> {
  const [content, growth] = await Promise.all([
    campaigns.content(teamId, campaign.id),
    growthFinding(teamId, campaign),
  ]);
  const findings = [...contentFindings(content ?? {}), ...growth];
  if (findings.length === 0) await campaigns.move(teamId, campaign.id, 'release');
  else await hold(teamId, campaign.id, `held for review: ${findings.join('; ')}`);
}

const hold = (teamId: number, id: number, failure_reason: string) =>
  tellingOf(teamId, id, 'held', (outbox) => campaigns.move(teamId, id, 'hold', { failure_reason }, {}, outbox));

/** What is odd about the size of the audience. It is counted only where the list is that large, and only as far as it matters. */
async function growthFinding(teamId: number, campaign: CampaignItem): Promise<string[]> {
  const list = campaign.contact_list_id === null ? undefined : await lists.find(teamId, campaign.contact_list_id);
  if (!list || list.contacts_count <= largestUnreviewed(0)) return [];
  const largest = await largestSend(teamId);
  const most = largestUnreviewed(largest);
  if (list.contacts_count <= most || (await countAudience(teamId, campaign, most + 1)) <= most) return [];
  return [`an audience of more than ${most}, where the largest earlier send had ${largest}`];
}
