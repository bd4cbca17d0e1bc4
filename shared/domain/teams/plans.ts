/** A subscription plan's limits; `null` means unlimited. */
interface PlanLimits {
  api: boolean;
  requestsPerMinute: number;
  emailsPerMonth: number | null;
  aiTweaksPerMonth: number | null;
  /** Tokens of the model; the embedded engine takes none. */
  aiTokensPerMonth: number;
}

/** The plans; the period of an allowance is the calendar month in UTC. */
export const plans = {
  free: { api: false, requestsPerMinute: 60, emailsPerMonth: 1_000, aiTweaksPerMonth: 0, aiTokensPerMonth: 0 },
  starter: {
    api: false,
    requestsPerMinute: 60,
    emailsPerMonth: 50_000,
    aiTweaksPerMonth: 100,
    aiTokensPerMonth: 500_000,
  },
  business: {
    api: true,
    requestsPerMinute: 600,
    emailsPerMonth: 1_000_000,
    aiTweaksPerMonth: 1_000,
    aiTokensPerMonth: 5_000_000,
  },
  enterprise: {
    api: true,
    requestsPerMinute: 6_000,
    emailsPerMonth: null,
    aiTweaksPerMonth: null,
    aiTokensPerMonth: 50_000_000,
  },
} as const satisfies Record<string, PlanLimits>;

/** The name of a plan. */
export type Plan = keyof typeof plans;

/** Every plan's name. */
export const planNames = Object.keys(plans) as Plan[];

/** Requests a minute of all keys of a team together, over those of one key. */
export const teamRequestsFactor = 10;

/** Requests a minute without a valid key, per source address. */
export const anonymousRequestsPerMinute = plans.business.requestsPerMinute;

/** The part of a month's allowance that strangers may use up in a day on a team's public pages, and the least. */
const strangersShare = 0.05;
const leastForStrangers = 100;

/** How many mails a day strangers may cause by what they enter on a team's public pages. */
export function pageMailsPerDay(plan: Plan): number {
  const { emailsPerMonth } = plans[plan];
  return Math.max(leastForStrangers, (emailsPerMonth ?? plans.business.emailsPerMonth) * strangersShare);
}

/** The calendar month (UTC) of an allowance: `2026-11`. */
export const allowancePeriod = (now: Date): string => now.toISOString().slice(0, 7);

/** When a month's allowance begins and ends. */
export function allowanceBounds(month: string): { start: Date; end: Date } {
  const start = new Date(`${month}-01T00:00:00Z`);
  return { start, end: new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1)) };
}
