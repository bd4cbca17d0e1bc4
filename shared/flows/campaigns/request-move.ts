import * as campaigns from '../../data/campaigns/campaigns.ts';
import { type AuditWrite, auditWrite } from '../../data/teams/audit-log.ts';
import type { Actor } from '../../domain/actor.ts';
import { type Move, moves, target } from '../../domain/campaigns/status.ts';
import { NotApplicable } from '../../domain/errors.ts';
import { type AuditAction, changedFields } from '../../domain/teams/audit.ts';

/** The action of each move that somebody asks for, in the audit log. */
const actions = {
  send: 'campaign.sent',
  schedule: 'campaign.scheduled',
  pause: 'campaign.paused',
  resume: 'campaign.resumed',
  cancel: 'campaign.cancelled',
  resend: 'campaign.resent',
  release: 'campaign.released',
  refuse: 'campaign.refused',
} as const satisfies Partial<Record<Move, AuditAction>>;

/** What is asked for: a move, and the time of a schedule. */
interface Asked {
  move: keyof typeof actions;
  scheduled_at?: string;
}

/** The row of a move in the audit log, for the transaction that makes it. */
export function moveRow(
  teamId: number,
  { id, status, scheduled_at }: campaigns.CampaignItem,
  by: Actor,
  { move, ...changed }: Asked,
): AuditWrite {
  const change = changedFields({ status, scheduled_at }, { status: moves[move].to, scheduled_at, ...changed });
  return auditWrite(teamId, by, actions[move], id, change);
}

/** The participle of a move, for its refusal. */
const participle = (move: Asked['move']): string =>
  move === 'resend' ? 'sent again' : actions[move].slice('campaign.'.length);

/**
 * Makes the move of a request and returns the campaign after it; a repeated request finds its operation marker. Throws
 * 422 when the state forbids the move or another request was first.
 */
export async function requestMove(
  teamId: number,
  campaign: campaigns.CampaignItem,
  by: Actor,
  asked: Asked,
  make: (marker: Partial<campaigns.CampaignItem>, row: AuditWrite) => Promise<boolean>,
): Promise<campaigns.CampaignItem> {
  const { id: operationId } = by.operation;
  if (campaigns.movedBy(campaign, operationId)) return campaign;
  if (target(asked.move, campaign.status) === undefined)
    throw new NotApplicable(`A campaign that is ${campaign.status} cannot be ${participle(asked.move)}.`);
  await make(campaigns.operationMarker(campaign, operationId), moveRow(teamId, campaign, by, asked));
  const moved = await campaigns.find(teamId, campaign.id);
  if (!moved || !campaigns.movedBy(moved, operationId))
    throw new NotApplicable('The campaign was sent or changed at the same moment.');
  return moved;
}
