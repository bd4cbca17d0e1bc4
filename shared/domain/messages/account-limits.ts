import type { PricingPlan } from './sending-price.ts';

/** The limits of the provider's account, and the plan that it pays by. */
export interface AccountLimits {
  /** Messages a second. */
  maxSendRate: number;
  /** Messages in 24 hours; negative when unlimited. */
  max24HourSend: number;
  sentLast24Hours: number;
  /** Only verified recipients are mailed. */
  inSandbox: boolean;
  /** False when the provider has stopped the account. */
  sendingEnabled: boolean;
  /** Absent in limits that an earlier version stored. */
  pricingPlan?: PricingPlan;
}
