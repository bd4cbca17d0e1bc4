/** The states of a campaign (contract, section 3). */
export const campaignStatuses = [
  'draft',
  'scheduled',
  'screening',
  'held',
  'queuing',
  'sending',
  'paused',
  'sent',
  'partial',
  'cancelled',
  'failed',
] as const;

/** One state of a campaign. */
export type CampaignStatus = (typeof campaignStatuses)[number];

interface Transition {
  from: readonly CampaignStatus[];
  to: CampaignStatus;
}

/** Every move by its cause; no other move can happen. */
export const moves = {
  reopen: { from: ['held'], to: 'draft' },
  schedule: { from: ['draft', 'scheduled'], to: 'scheduled' },
  send: { from: ['draft'], to: 'screening' },
  start: { from: ['scheduled'], to: 'screening' },
  hold: { from: ['screening', 'queuing'], to: 'held' },
  release: { from: ['screening', 'held'], to: 'queuing' },
  refuse: { from: ['held'], to: 'cancelled' },
  snapshot: { from: ['queuing'], to: 'sending' },
  openPaused: { from: ['queuing'], to: 'paused' },
  pause: { from: ['sending'], to: 'paused' },
  resume: { from: ['paused'], to: 'sending' },
  resend: { from: ['partial'], to: 'sending' },
  cancel: { from: ['draft', 'scheduled', 'paused'], to: 'cancelled' },
  fail: { from: ['scheduled', 'queuing'], to: 'failed' },
  endSent: { from: ['sending', 'partial'], to: 'sent' },
  endPartial: { from: ['sending', 'partial'], to: 'partial' },
  endFailed: { from: ['sending', 'partial'], to: 'failed' },
} as const satisfies Record<string, Transition>;

/** What causes a move. */
export type Move = keyof typeof moves;

/** The state after a move; undefined when the move is not allowed. */
export function target(move: Move, from: CampaignStatus): CampaignStatus | undefined {
  const { from: allowed, to }: Transition = moves[move];
  return allowed.includes(from) ? to : undefined;
}

/** States in which a campaign may be edited; an edit returns a held one to draft. */
export const editable: readonly CampaignStatus[] = ['draft', 'scheduled', 'held'];

/** States in which a campaign may be deleted. */
export const deletable: readonly CampaignStatus[] = [
  'draft',
  'scheduled',
  'held',
  'cancelled',
  'failed',
  'sent',
  'partial',
];

/** States in which the workflow has work to do. */
export const working: readonly CampaignStatus[] = ['screening', 'queuing', 'sending'];

/** The time that a campaign waits for: its schedule or its A/B test's decision; undefined otherwise. */
export function plannedStart(campaign: {
  status: CampaignStatus;
  scheduled_at: string | null;
  test?: { phase: string; decide_at?: string };
}): string | undefined {
  if (campaign.status === 'scheduled') return campaign.scheduled_at ?? undefined;
  return campaign.status === 'sending' && campaign.test?.phase === 'waiting' ? campaign.test.decide_at : undefined;
}

/** How a send ends: `endPartial` with some failures, `endFailed` when nothing was sent. */
export function ending(counts: {
  sent: number;
  failed: number;
  unknown: number;
}): 'endSent' | 'endPartial' | 'endFailed' {
  if (counts.failed + counts.unknown === 0) return 'endSent';
  return counts.sent > 0 || counts.unknown > 0 ? 'endPartial' : 'endFailed';
}
