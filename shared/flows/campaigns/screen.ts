import * as bodies from '../../data/campaigns/bodies.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as lists from '../../data/contacts/lists.ts';
import { jobWrite } from '../../data/due-jobs.ts';
import { largestUnreviewed } from '../../domain/campaigns/reputation.ts';
import { contentFindings } from '../../domain/messages/screening.ts';
import { audience } from './audience.ts';
import { writeWithEvent } from './publish-status.ts';
import { largestSend } from './sending-record.ts';

/** Releases a launched campaign, or holds it for a review of content or size; goes on later after the deadline. */
export async function screen(teamId: number, campaign: campaigns.CampaignItem, deadline: number): Promise<void> {
  const [content, growth] = await Promise.all([
    bodies.find(teamId, campaign.id),
    growthFinding(teamId, campaign, deadline),
  ]);
  if (growth === 'not known yet') return;
  const findings = [...contentFindings(content ?? {}), ...growth];
  if (findings.length === 0) await campaigns.move(teamId, campaign.id, 'release', {}, inThisRun(campaign));
  else await hold(teamId, campaign, `held for review: ${findings.join('; ')}`);
}

const hold = (teamId: number, campaign: campaigns.CampaignItem, failure_reason: string) =>
  writeWithEvent(teamId, campaign.id, 'held', (outbox) =>
    campaigns.move(teamId, campaign.id, 'hold', { failure_reason }, inThisRun(campaign), [jobWrite(outbox)]),
  );

/** A step that runs twice or late does not change a campaign that was moved or launched again meanwhile. */
const inThisRun = ({ status, run }: campaigns.CampaignItem): Partial<campaigns.CampaignItem> => ({ status, run });

/** The finding about an audience's growth; it is counted only if the list is that large, and only up to the limit. */
async function growthFinding(
  teamId: number,
  campaign: campaigns.CampaignItem,
  deadline: number,
): Promise<string[] | 'not known yet'> {
  if (campaign.audience_source === 'warehouse') return [];
  const list = campaign.contact_list_id === null ? undefined : await lists.find(teamId, campaign.contact_list_id);
  if (!list || list.contacts_count <= largestUnreviewed(0)) return [];
  const largest = await largestSend(teamId, deadline);
  if (largest === undefined) return 'not known yet';
  const max = largestUnreviewed(largest);
  if (list.contacts_count <= max) return [];
  const over = await isOver(teamId, campaign, max, deadline);
  return over === undefined ? 'not known yet' : over ? [grown(max, largest)] : [];
}

const grown = (max: number, largest: number) =>
  `an audience of more than ${max}, where the largest earlier send had ${largest}`;

/** Why an imported warehouse audience needs a review, null when it does not; undefined after the deadline. */
export async function importedFinding(
  teamId: number,
  addresses: number,
  deadline: number,
): Promise<string | null | undefined> {
  if (addresses <= largestUnreviewed(0)) return null;
  const largest = await largestSend(teamId, deadline);
  if (largest === undefined) return undefined;
  const max = largestUnreviewed(largest);
  return addresses > max ? `held for review: ${grown(max, largest)}` : null;
}

/** Whether an audience exceeds a size; undefined when the deadline passed before, and the next step goes on. */
async function isOver(
  teamId: number,
  campaign: campaigns.CampaignItem,
  max: number,
  deadline: number,
): Promise<boolean | undefined> {
  let { recipients: counted, after } = campaign.screened ?? { recipients: 0 };
  for await (const { recipients, reached } of audience(teamId, campaign, after)) {
    counted += recipients.length;
    after = reached;
    if (counted > max) return true;
    // A step gets on, however late it is.
    if (Date.now() < deadline || reached === campaign.screened?.after) continue;
    const { id, screened: seen } = campaign;
    const screened = { recipients: counted, after };
    await campaigns.change(teamId, id, ['screening'], { screened }, { run: campaign.run, screened: seen });
    return undefined;
  }
  return false;
}
