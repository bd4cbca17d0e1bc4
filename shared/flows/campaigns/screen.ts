import * as bodies from '../../data/campaigns/bodies.ts';
import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as lists from '../../data/contacts/lists.ts';
import { largestUnreviewed } from '../../domain/campaigns/reputation.ts';
import { contentFindings } from '../../domain/campaigns/screening.ts';
import { Unavailable } from '../../domain/errors.ts';
import { countAudience } from './audience.ts';
import { writeWithEvent } from './publish-status.ts';
import { largestSend } from './sending-record.ts';

/** Screens a launched campaign's content and audience: clean ones go on to queuing, others are held for an operator with the findings. */
export async function screen(teamId: number, campaign: CampaignItem): Promise<void> {
  const [content, growth] = await Promise.all([bodies.find(teamId, campaign.id), growthFinding(teamId, campaign)]);
  const findings = [...contentFindings(content ?? {}), ...growth];
  if (findings.length === 0) await campaigns.move(teamId, campaign.id, 'release', {}, inThisRun(campaign));
  else await hold(teamId, campaign, `held for review: ${findings.join('; ')}`);
}

const hold = (teamId: number, campaign: CampaignItem, failure_reason: string) =>
  writeWithEvent(teamId, campaign.id, 'held', (outbox) =>
    campaigns.move(teamId, campaign.id, 'hold', { failure_reason }, inThisRun(campaign), outbox),
  );

/** A step that runs twice, or late, says nothing of a campaign that was held, released or launched anew meanwhile. */
const inThisRun = ({ status, run }: CampaignItem): Partial<CampaignItem> => ({ status, run });

/** What is odd about the size of the audience. It is counted only where the list is that large, and only as far as it matters. */
async function growthFinding(teamId: number, campaign: CampaignItem): Promise<string[]> {
  if (campaign.audience_source === 'warehouse') return [];
  const list = campaign.contact_list_id === null ? undefined : await lists.find(teamId, campaign.contact_list_id);
  if (!list || list.contacts_count <= largestUnreviewed(0)) return [];
  const largest = await largestSend(teamId);
  const most = largestUnreviewed(largest);
  if (list.contacts_count <= most || !(await isOver(teamId, campaign, most))) return [];
  return [grown(most, largest)];
}

const grown = (most: number, largest: number) =>
  `an audience of more than ${most}, where the largest earlier send had ${largest}`;

/** Why a warehouse audience, whose size is known once it is imported, must wait for an operator; undefined when it need not. */
export async function importedFinding(teamId: number, addresses: number): Promise<string | undefined> {
  if (addresses <= largestUnreviewed(0)) return undefined;
  const largest = await largestSend(teamId);
  const most = largestUnreviewed(largest);
  return addresses > most ? `held for review: ${grown(most, largest)}` : undefined;
}

/** Whether an audience has more than so many recipients; one that takes too long to be counted has. */
async function isOver(teamId: number, campaign: CampaignItem, most: number): Promise<boolean> {
  try {
    return (await countAudience(teamId, campaign, most + 1)) > most;
  } catch (error) {
    if (error instanceof Unavailable) return true;
    throw error;
  }
}
