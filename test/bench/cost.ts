import type { UsageReport } from '../../local/usage.ts';
import type { CountedCampaign, Engagement } from './counted.ts';
import type { Result } from './results.ts';

/** The assumed shares of recipients that open and that click. */
const openShare = 0.3;
const clickShare = 0.05;
const budgetDollars = 4;
const million = 1_000_000;
/** A gigabyte of the table for 180 days. */
const storagePrice = 0.25 * (180 / 30.4);

/** Dollars per unit in us-east-1 (on-demand table, arm64 functions). */
const prices = {
  'table writes': 0.625 / million,
  'table reads': 0.125 / million,
  'Lambda GB-seconds': 0.0000133334,
  'Lambda requests': 0.2 / million,
  'SQS requests': 0.4 / million,
  'SNS publishes': 0.5 / million,
  'state transitions': 25 / million,
  'API requests': 1 / million,
} as const;

type Item = keyof typeof prices;

const workers = /-(?:advance-campaign|send-page|apply-feedback|reconcile|operate|handle-notices|send-steps|run-job)$/;

/** The units that AWS charges for; calls of the bench itself are none of them. */
function units(used: UsageReport): Record<Item, number> {
  const functions = Object.entries(used.functions);
  const sum = (of: (entry: UsageReport['functions'][string]) => number) =>
    functions.reduce((total, [, entry]) => total + of(entry), 0);
  const queueCalls = ({ calls }: UsageReport['functions'][string]) =>
    Object.entries(calls).reduce((total, [name, count]) => total + (name.startsWith('sqs:') ? count : 0), 0);
  const published = used.calls['sns:Publish'] ?? 0;
  return {
    'table writes': sum(({ capacity }) => capacity.write),
    'table reads': sum(({ capacity }) => capacity.read),
    'Lambda GB-seconds': sum(({ gigabyte_seconds }) => gigabyte_seconds),
    'Lambda requests': sum(({ invocations }) => invocations),
    // SNS sends each published event to the queue with one more request.
    'SQS requests': sum(queueCalls) + published,
    'SNS publishes': published,
    'state transitions': used.transitions,
    'API requests': functions
      .filter(([name]) => !workers.test(name))
      .reduce((total, [, { invocations }]) => total + invocations, 0),
  };
}

/** The cost of a million campaign emails with full tracking, without SES's fee, with the lines that explain it. */
export function costPerMillion(
  { recipients, rate, used, stored }: CountedCampaign,
  { opens, clicks }: Record<'opens' | 'clicks', Engagement>,
): { results: Result[]; explanation: string[] } {
  const [sent, opened, clicked] = [units(used), units(opens.used), units(clicks.used)];
  const perEmail = (each: number, open: number, click: number) =>
    each / recipients + (open / opens.count) * openShare + (click / clicks.count) * clickShare;
  const parts = (Object.keys(prices) as Item[]).map((item) => {
    const quantity = perEmail(sent[item], opened[item], clicked[item]);
    return { item, quantity, dollars: quantity * million * prices[item] };
  });
  const total = parts.reduce((sum, { dollars }) => sum + dollars, 0);
  const bytes = perEmail(stored, opens.stored, clicks.stored);
  const at = `at ${rate.toLocaleString('en-US')}/s`;
  return {
    results: [
      {
        what: `infrastructure per 1,000,000 emails, tracked, ${at}`,
        figure: total,
        unit: 'dollars',
        atMost: budgetDollars,
        details: parts.map(({ item, dollars }) => `${item} $${dollars.toFixed(2)}`).join(', '),
      },
      {
        what: `storage of the same for 180 days, ${at}`,
        figure: ((bytes * million) / 1e9) * storagePrice,
        unit: 'dollars',
        details: `${Math.round(bytes)} bytes an email with its events, in the table and its indexes`,
      },
    ],
    explanation: [
      `An email ${at}, measured with ${recipients} recipients:`,
      ...parts.map(
        ({ item, quantity, dollars }) =>
          `  ${item.padEnd(18)} ${quantity.toFixed(5).padStart(9)} an email  $${dollars.toFixed(3)} a million`,
      ),
    ],
  };
}

/** What the cost holds and what it leaves out. */
export const costNotes = [
  `Cost per million: a campaign with all its deliveries applied, plus opens and clicks (10 a second), scaled to`,
  `${openShare * 100}% opens and ${clickShare * 100}% clicks, with refused writes and the puts of SNS into SQS.`,
  'Time that a function sleeps counts as on AWS; the rest of its duration is of this machine.',
  "It excludes SES's fee, logs, empty polls of the queues, and what runs without campaigns.",
];
