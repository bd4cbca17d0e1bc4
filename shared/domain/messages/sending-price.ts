/**
 * US dollars for 1,000 messages without attachments up to ten million a month, by SES's pricing plan, in us-east-1
 * (SES's price list of July 2026). An account from before the plans has `NONE`; a new one has `ESSENTIALS`.
 */
const dollarsPerThousand = { NONE: 0.1, ESSENTIALS: 0.16, PRO: 0.22, ENTERPRISE: 0.23 } as const;

/** A pricing plan of an SES account. */
export type PricingPlan = keyof typeof dollarsPerThousand;

/** The plans by the names that SES's GetAccount has for them. */
export const pricingPlans = Object.keys(dollarsPerThousand) as PricingPlan[];

/** US dollars for 1,000 messages that everything but SES costs (docs/architecture.md#budgets). */
const infrastructurePerThousand = 0.006;

/** What a number of messages costs in US dollars, by part. */
export interface SendingPrice {
  plan: PricingPlan;
  ses: number;
  infrastructure: number;
  total: number;
}

/** The plan that SES names; `NONE` when it names none, or one that is not known here. */
export const pricingPlanOf = (name: string | undefined): PricingPlan =>
  pricingPlans.find((plan) => plan === name) ?? 'NONE';

/** What sending `messages` costs on a plan: the parts to a hundredth of a cent, their sum rounded up to cents. */
export function sendingPrice(messages: number, plan: PricingPlan): SendingPrice {
  const part = (perThousand: number) => Number(((messages * perThousand) / 1_000).toFixed(4));
  const [ses, infrastructure] = [part(dollarsPerThousand[plan]), part(infrastructurePerThousand)];
  return { plan, ses, infrastructure, total: Math.ceil(Number(((ses + infrastructure) * 100).toFixed(2))) / 100 };
}
