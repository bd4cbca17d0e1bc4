import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import { type Move, target } from '../../domain/campaigns/status.ts';
import { NotApplicable } from '../../domain/errors.ts';

/** What a request asks for, as its refusal says it. */
const participles = {
  send: 'sent',
  schedule: 'scheduled',
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
} as const satisfies Partial<Record<Move, string>>;

/**
 * Makes the move that a request asks for, and gives the campaign after it. The same request, executed again, or one whose answer was lost,
 * finds its mark on the row and the move made. Throws 422 where the state forbids it, and to the later of two at the same moment.
 */
export async function requestMove(
  teamId: number,
  campaign: CampaignItem,
  operationId: string,
  move: keyof typeof participles,
  make: (signed: Partial<CampaignItem>) => Promise<boolean>,
): Promise<CampaignItem> {
  if (campaigns.movedBy(campaign, operationId)) return campaign;
  if (target(move, campaign.status) === undefined)
    throw new NotApplicable(`A campaign that is ${campaign.status} cannot be ${participles[move]}.`);
  await make(campaigns.operationMarker(campaign, operationId));
  const moved = await campaigns.find(teamId, campaign.id);
  if (!moved || !campaigns.movedBy(moved, operationId))
    throw new NotApplicable('The campaign was sent or changed at the same moment.');
  return moved;
}
