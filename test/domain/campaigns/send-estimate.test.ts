import { expect, it } from 'vitest';
import { estimateSend } from '../../../shared/domain/campaigns/send-estimate.ts';
import type { AccountLimits } from '../../../shared/domain/messages/account-limits.ts';
import { type PricingPlan, pricingPlanOf } from '../../../shared/domain/messages/sending-price.ts';

const account: AccountLimits = {
  maxSendRate: 100,
  max24HourSend: 50_000,
  sentLast24Hours: 10_000,
  inSandbox: false,
  sendingEnabled: true,
};

it('a send within the quota takes the time of its share of the rate', () => {
  expect(estimateSend(36_000, account, 0.9)).toMatchObject({ seconds: 400, warnings: [] });
  expect(estimateSend(0, account, 0.9)).toMatchObject({ seconds: 0, price: { total: 0 }, warnings: [] });
});

it("a send costs the price of the account's plan, by part; an account without a plan pays by the message", () => {
  const priceOn = (pricingPlan?: PricingPlan) => estimateSend(36_000, { ...account, pricingPlan }, 1).price;
  expect(priceOn('ESSENTIALS')).toEqual({ plan: 'ESSENTIALS', ses: 5.76, infrastructure: 0.216, total: 5.98 });
  expect(priceOn('PRO')).toMatchObject({ ses: 7.92, total: 8.14 });
  expect(priceOn()).toEqual({ plan: 'NONE', ses: 3.6, infrastructure: 0.216, total: 3.82 });
});

it('knows the plans by the names of SES, and takes one that is new to it for none', () => {
  expect(['ESSENTIALS', 'ENTERPRISE', 'PLATINUM', undefined].map(pricingPlanOf)).toEqual([
    'ESSENTIALS',
    'ENTERPRISE',
    'NONE',
    'NONE',
  ]);
});

it('a send beyond the daily quota takes days and warns', () => {
  const { seconds, warnings } = estimateSend(100_000, account, 1);
  expect(seconds).toBe(2 * 86_400 + 100);
  expect(warnings).toEqual(['daily_quota_insufficient']);
  expect(estimateSend(100_000, { ...account, max24HourSend: -1 }, 1)).toMatchObject({ seconds: 1_000, warnings: [] });
});

it('warns of an account in the sandbox or stopped by the provider', () => {
  const stopped = { ...account, inSandbox: true, sendingEnabled: false };
  expect(estimateSend(1, stopped, 1).warnings).toEqual(['account_in_sandbox', 'account_sending_disabled']);
});
