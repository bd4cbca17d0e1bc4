import * as bodies from '../../data/campaigns/bodies.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as lists from '../../data/contacts/lists.ts';
import { largestUnreviewed } from '../../domain/campaigns/reputation.ts';
import { contentFindings } from '../../domain/campaigns/screening.ts';
import { Unavailable } from '../../domain/errors.ts';
import { countAudience } from './audience.ts';
import { writeWithEvent } from './publish-status.ts';
import { largestSend } from './sending-record.ts';

/** Releases a launched campaign, or holds it for a review of its content or the size of its audience. */
export async function screen(teamId: number, campaign: campaigns.CampaignItem): Promise<void> {
  const [content, growth] = await Promise.all([bodies.find(teamId, campaign.id), growthFinding(teamId, campaign)]);
  const findings = [...contentFindings(content ?? {}), ...growth];
  if (findings.length === 0) await campaigns.move(teamId, campaign.id, 'release', {}, inThisRun(campaign));
  else await hold(teamId, campaign, `held for review: ${findings.join('; ')}`);
}

const hold = (teamId: number, campaign: campaigns.CampaignItem, failure_reason: string) =>
  writeWithEvent(teamId, campaign.id, 'held', (outbox) =>
    campaigns.move(teamId, campaign.id, 'hold', { failure_reason }, inThisRun(campaign), outbox),
  );

/** A step that runs twice or late does not change a campaign that was moved or launched again meanwhile. */
const inThisRun = ({ status, run }: campaigns.CampaignItem): Partial<campaigns.CampaignItem> => ({ status, run });

/** The finding about an audience's growth; it is counted only if the list is that large, and only up to the limit. */
async function growthFinding(teamId: number, campaign: campaigns.CampaignItem): Promise<string[]> {
  if (campaign.audience_source === 'warehouse') return [];
  const list = campaign.contact_list_id === null ? undefined : await lists.find(teamId, campaign.contact_list_id);
  if (!list || list.contacts_count <= largestUnreviewed(0)) return [];
  const largest = await largestSend(teamId);
  const max = largestUnreviewed(largest);
  if (list.contacts_count <= max || !(await isOver(teamId, campaign, max))) return [];
  return [grown(max, largest)];
}

const grown = (max: number, largest: number) =>
  `an audience of more than ${max}, where the largest earlier send had ${largest}`;

/** Why an imported warehouse audience needs a review; undefined when it does not. */
export async function importedFinding(teamId: number, addresses: number): Promise<string | undefined> {
  if (addresses <= largestUnreviewed(0)) return undefined;
  const largest = await largestSend(teamId);
  const max = largestUnreviewed(largest);
  return addresses > max ? `held for review: ${grown(max, largest)}` : undefined;
}

/** Whether an audience exceeds a size; true when counting it takes too long. */
async function isOver(teamId: number, campaign: campaigns.CampaignItem, max: number): Promise<boolean> {
  try {
    return (await countAudience(teamId, campaign, max + 1)) > max;
  } catch (error) {
    if (error instanceof Unavailable) return true;
    throw error;
  }
}
