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

/** Every move, by what causes it; what is not here cannot happen. */
export const moves = {
  edit: { draft: 'draft', scheduled: 'scheduled', held: 'draft' },
  launch: { draft: 'screening', scheduled: 'screening' },
  hold: { screening: 'held' },
  release: { screening: 'queuing', held: 'queuing' },
  refuse: { held: 'cancelled' },
  freeze: { queuing: 'sending' },
  pause: { sending: 'paused' },
  resume: { paused: 'sending' },
  cancel: { draft: 'cancelled', scheduled: 'cancelled', paused: 'cancelled' },
  fail: { scheduled: 'failed', queuing: 'failed', sending: 'failed' },
  finish: { sending: 'sent' },
  finishInPart: { sending: 'partial' },
} as const satisfies Record<string, Partial<Record<CampaignStatus, CampaignStatus>>>;

/** What causes a move. */
export type Move = keyof typeof moves;

/** Where a move leads from a state; undefined when it is not allowed there. */
export function target(move: Move, from: CampaignStatus): CampaignStatus | undefined {
  return (moves[move] as Partial<Record<CampaignStatus, CampaignStatus>>)[from];
}

/** The states a move may start from. */
export function sources(move: Move): CampaignStatus[] {
  return Object.keys(moves[move]) as CampaignStatus[];
}

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

/** How a finished send ends, by its counts: `sent` without a failure, `partial` with some, `failed` when nothing was sent. */
export function ending(counts: { sent: number; failed: number; unknown: number }): 'sent' | 'partial' | 'failed' {
  if (counts.failed + counts.unknown === 0) return 'sent';
  return counts.sent > 0 || counts.unknown > 0 ? 'partial' : 'failed';
}
