import * as campaigns from '../../data/campaigns/campaigns.ts';
import { type Move, target } from '../../domain/campaigns/status.ts';
import { NotApplicable } from '../../domain/errors.ts';

/** The participle of each move, for its refusal. */
const participles = {
  send: 'sent',
  schedule: 'scheduled',
  pause: 'paused',
  resume: 'resumed',
  cancel: 'cancelled',
  resend: 'sent again',
} as const satisfies Partial<Record<Move, string>>;

/**
 * Makes the move of a request and returns the campaign after it; a repeated request finds its operation marker. Throws
 * 422 when the state forbids the move or another request was first.
 */
export async function requestMove(
  teamId: number,
  campaign: campaigns.CampaignItem,
  operationId: string,
  move: keyof typeof participles,
  make: (marker: Partial<campaigns.CampaignItem>) => Promise<boolean>,
): Promise<campaigns.CampaignItem> {
  if (campaigns.movedBy(campaign, operationId)) return campaign;
  if (target(move, campaign.status) === undefined)
    throw new NotApplicable(`A campaign that is ${campaign.status} cannot be ${participles[move]}.`);
  await make(campaigns.operationMarker(campaign, operationId));
  const moved = await campaigns.find(teamId, campaign.id);
  if (!moved || !campaigns.movedBy(moved, operationId))
    throw new NotApplicable('The campaign was sent or changed at the same moment.');
  return moved;
}
