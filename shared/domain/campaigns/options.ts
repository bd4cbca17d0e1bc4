/** Sources of a campaign's recipients. */
export const audienceSources = ['list', 'warehouse'] as const;

/** The source of a campaign's recipients. */
export type AudienceSource = (typeof audienceSources)[number];

/** Metrics that can decide an A/B test. */
export const winnerMetrics = ['opens', 'clicks'] as const;

/** The metric that decides an A/B test. */
export type WinnerMetric = (typeof winnerMetrics)[number];
