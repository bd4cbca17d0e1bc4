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

interface Way {
  from: readonly CampaignStatus[];
  to: CampaignStatus;
}

/** Every move, by what causes it; what is not here cannot happen. */
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
  cancel: { from: ['draft', 'scheduled', 'paused'], to: 'cancelled' },
  fail: { from: ['scheduled', 'queuing'], to: 'failed' },
  endSent: { from: ['sending', 'partial'], to: 'sent' },
  endPartial: { from: ['sending', 'partial'], to: 'partial' },
  endFailed: { from: ['sending', 'partial'], to: 'failed' },
} as const satisfies Record<string, Way>;

/** What causes a move. */
export type Move = keyof typeof moves;

/** Where a move leads from a state; undefined when it is not allowed there. */
export function target(move: Move, from: CampaignStatus): CampaignStatus | undefined {
  const way: Way = moves[move];
  return way.from.includes(from) ? way.to : undefined;
}

/** States in which a campaign may be edited; a held one goes back to draft by it. */
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

/** The moment that a campaign waits for: its schedule's, or the decision of its A/B test; undefined when it waits for none. */
export function plannedStart(campaign: {
  status: CampaignStatus;
  scheduled_at: string | null;
  test?: { phase: string; decide_at?: string };
}): string | undefined {
  if (campaign.status === 'scheduled') return campaign.scheduled_at ?? undefined;
  return campaign.status === 'sending' && campaign.test?.phase === 'waiting' ? campaign.test.decide_at : undefined;
}

/** How a send ends, by its counts: `sent` without a failure, `partial` with some, `failed` when nothing was sent. What was unknown may settle later. */
export function ending(counts: {
  sent: number;
  failed: number;
  unknown: number;
}): 'endSent' | 'endPartial' | 'endFailed' {
  if (counts.failed + counts.unknown === 0) return 'endSent';
  return counts.sent > 0 || counts.unknown > 0 ? 'endPartial' : 'endFailed';
}
