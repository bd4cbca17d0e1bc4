import type { UsageReport } from '../../local/usage.ts';
import type { CountedCampaign } from './campaigns.ts';
import type { Result } from './results.ts';

/** The assumed shares of recipients that open and that click. */
const openShare = 0.3;
const clickShare = 0.05;
const budgetDollars = 6;
const million = 1_000_000;

/** Dollars per unit in us-east-1 (on-demand table, arm64 functions). */
const prices = {
  'table writes': 0.625 / million,
  'table reads': 0.125 / million,
  'Lambda duration': 0.0000133334,
  'Lambda requests': 0.2 / million,
  'SQS requests': 0.4 / million,
  'SNS publishes': 0.5 / million,
  'state transitions': 25 / million,
  'API requests': 1 / million,
} as const;

type Item = keyof typeof prices;

const workers = ['advance-campaign', 'send-page', 'apply-feedback', 'reconcile', 'operate'];

/** The units that AWS charges for. */
function units(used: UsageReport): Record<Item, number> {
  const functions = Object.entries(used.functions);
  const sum = (of: (entry: UsageReport['functions'][string]) => number) =>
    functions.reduce((total, [, entry]) => total + of(entry), 0);
  const calls = (service: string) =>
    Object.entries(used.calls).reduce((total, [name, count]) => total + (name.startsWith(service) ? count : 0), 0);
  const published = calls('sns:Publish');
  return {
    'table writes': used.capacity.write,
    'table reads': used.capacity.read,
    'Lambda duration': sum(({ gigabyte_seconds }) => gigabyte_seconds),
    'Lambda requests': sum(({ invocations }) => invocations),
    // SNS sends each published event to the queue with one more request.
    'SQS requests': calls('sqs:') + published,
    'SNS publishes': published,
    'state transitions': used.transitions,
    'API requests': functions
      .filter(([name]) => !workers.some((worker) => name.endsWith(`-${worker}`)))
      .reduce((total, [, { invocations }]) => total + invocations, 0),
  };
}

/** The cost of a million campaign emails with full tracking, without SES's fee, with the lines that explain it. */
export function costPerMillion({ recipients, sending, opens, clicks }: CountedCampaign): {
  result: Result;
  explanation: string[];
} {
  const [sent, opened, clicked] = [units(sending), units(opens.used), units(clicks.used)];
  const parts = (Object.keys(prices) as Item[]).map((item) => {
    const perEmail =
      sent[item] / recipients + (opened[item] / opens.count) * openShare + (clicked[item] / clicks.count) * clickShare;
    return { item, perEmail, dollars: perEmail * million * prices[item] };
  });
  const total = parts.reduce((sum, { dollars }) => sum + dollars, 0);
  return {
    result: {
      what: 'infrastructure per 1,000,000 emails, tracked',
      budget: `<= $${budgetDollars.toFixed(2)}`,
      figure: `$${total.toFixed(2)}`,
      within: total <= budgetDollars,
      consumed: parts.map(({ item, dollars }) => `${item} $${dollars.toFixed(2)}`).join(', '),
    },
    explanation: [
      `Cost per million: measured with ${recipients} recipients, all deliveries applied, plus ${opens.count} opens and`,
      `${clicks.count} clicks (10 a second), scaled to ${openShare * 100}% opens and ${clickShare * 100}% clicks.`,
      'It includes failed conditional writes and the puts of SNS into SQS; Lambda durations are those of this machine.',
      "It excludes SES's fee, logs, empty polls of the queues, and what runs without campaigns.",
      ...parts.map(
        ({ item, perEmail, dollars }) =>
          `  ${item.padEnd(18)} ${perEmail.toFixed(5).padStart(9)} an email  $${dollars.toFixed(3)}`,
      ),
    ],
  };
}
