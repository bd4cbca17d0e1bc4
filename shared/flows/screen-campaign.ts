import type { CampaignItem } from '../data/campaigns.ts';
import * as campaigns from '../data/campaigns.ts';
import { contentFindings } from '../domain/screening.ts';

/** Screens a launched campaign's content: clean ones go on to queuing, others are held for an operator with the findings. */
export async function screen(teamId: number, campaign: CampaignItem): Promise<void> {
  const content = await campaigns.content(teamId, campaign.id);
  const findings = contentFindings(content?.html_content ?? '');
  if (findings.length === 0) await campaigns.move(teamId, campaign.id, 'release');
  else await campaigns.move(teamId, campaign.id, 'hold', { failure_reason: `held for review: ${findings.join('; ')}` });
}
