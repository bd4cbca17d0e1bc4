/** Where a campaign's recipients come from. */
export const audienceSources = ['list', 'warehouse'] as const;

/** The source of a campaign's recipients. */
export type AudienceSource = (typeof audienceSources)[number];

/** What may decide an A/B test. */
export const winnerMetrics = ['opens', 'clicks'] as const;

/** What decides an A/B test. */
export type WinnerMetric = (typeof winnerMetrics)[number];
