// `npm run bench` prints the budgets of docs/architecture.md with measured values. `-- --quick` takes minutes, `--json`
// prints JSON alone, `--only 'costs|hottest'` runs the parts whose names match. It asserts nothing.
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { type BenchStack, startBenchStack } from './bench-stack.ts';
import { measureBundles } from './bundles.ts';
import { measureLarge, measureSpeed } from './campaigns.ts';
import { costNotes, costPerMillion } from './cost.ts';
import {
  countCampaign,
  countEngagement,
  fastest,
  feedbackWork,
  measureAbTest,
  putBacks,
  tableWork,
} from './counted.ts';
import { measureErasure } from './erasures.ts';
import { measureFeedback, measureTeamsSideBySide } from './feedback.ts';
import { measureHotKeys } from './hot-keys.ts';
import { measureListings } from './listings.ts';
import { measurePlaces } from './places.ts';
import { measureReminders } from './reminders.ts';
import { measureRequests } from './requests.ts';
import { asJson, asTable, median, type Result } from './results.ts';
import { measureSegments } from './segments.ts';
import { measureSequence } from './sequences.ts';
import { measureImport } from './warehouse.ts';
import { measureWebhooks } from './webhooks.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});
const size = values.quick
  ? {
      starts: 1,
      timed: 2_000,
      counted: { 14: 4_000, 100: 5_000, [fastest]: 10_000 },
      tested: 1_000,
      hot: 500,
      teams: 20,
      // Less, and the time until the first is handed out would be most of it, scaled up.
      reminders: 0.3,
      erased: 2_000,
      audience: 5_000,
      exported: 2_000,
      large: 3_000,
      feedback: 2_000,
      webhooks: 200,
      sequence: 500,
      listed: 10_000,
    }
  : {
      starts: 3,
      timed: 20_000,
      counted: { 14: 10_000, 100: 20_000, [fastest]: 50_000 },
      tested: 5_000,
      hot: 5_000,
      teams: 100,
      reminders: 1,
      erased: 100_000,
      audience: 200_000,
      exported: 50_000,
      large: 100_000,
      feedback: 100_000,
      webhooks: 5_000,
      sequence: 10_000,
      listed: 10_000,
    };

const results: Result[] = [];
const explanation: string[] = [...costNotes];
const begun = performance.now();
/** Runs a part that `--only` names; one that fails does not keep the rest from running. */
const step = async (what: string, run: () => Result[] | Promise<Result[]>) => {
  if (!new RegExp(values.only).test(what)) return;
  process.stderr.write(`${Math.round((performance.now() - begun) / 1000)} s: ${what} …\n`);
  try {
    results.push(...(await run()));
  } catch (error) {
    console.error(`${what} failed:`, error);
    results.push({ what: `${what}, which failed`, figure: Number.NaN, unit: 'not measured', atMost: 0 });
    process.exitCode = 1;
  }
};

await step('bundles', () => measureBundles(values));
const stack = await start();
try {
  await step('requests', () => measureRequests(stack, values));
  await step('costs', () => measureCosts(stack));
  await step('A/B test', () => measureAbTest(stack, size.tested));
  await step('hottest keys', () => measureHotKeys(stack, size.hot));
  await step('places', measurePlaces);
  await step('warehouse export', () => measureImport(stack, size.exported));
  await step('timed campaign', () => measureSpeed(stack, size.timed));
  await step('feedback', () => measureFeedback(stack, size.feedback, size.feedback / 10));
  await step('feedback of teams side by side', () => measureTeamsSideBySide(stack, size.teams));
  await step('large campaign by filters', () => measureLarge(stack, size.large));
  await step('sequence', () => measureSequence(stack, size.sequence));
  await step('erasure', () => measureErasure(stack, size.erased));
  await step('listing and segments', () => measureSegments(stack, size.audience));
  await step('filtered pages', () => measureListings(stack, size.listed));
  await step('webhooks', () => measureWebhooks(stack, size.webhooks, size.webhooks / 10));
  // Last, since its reminders come back every minute.
  await step('reminders', () => measureReminders(stack, size.reminders));
} finally {
  await stack.stop();
}
if (values.json) console.log(asJson(results));
else printReport();

function printReport(): void {
  const [cpu] = cpus();
  const quick = values.quick ? ', --quick' : '';
  console.log(`\n${cpus().length} cores (${cpu?.model.trim()}), Node ${process.version}${quick}\n`);
  console.log(`${asTable(results)}\n\n${explanation.join('\n')}`);
}

/** A campaign at each send rate, with its cost and put-backs; opens and clicks are counted once. */
async function measureCosts(on: BenchStack): Promise<Result[]> {
  const campaigns = [];
  for (const [rate, recipients] of Object.entries(size.counted)) {
    process.stderr.write(`  ${recipients} emails at ${rate}/s …\n`);
    campaigns.push(await countCampaign(on, recipients, Number(rate)));
  }
  const large = campaigns.at(-1)!;
  const engagement = await countEngagement(on, campaigns[0]!);
  const costs = campaigns.map((campaign) => costPerMillion(campaign, engagement));
  explanation.push(...costs.flatMap((cost) => cost.explanation));
  return [
    ...costs.flatMap((cost) => cost.results),
    ...campaigns.map(putBacks),
    tableWork(large),
    ...feedbackWork(large, engagement),
  ];
}

/** Starts the stack several times and keeps the last one. */
async function start(): Promise<BenchStack> {
  const taken: number[] = [];
  for (;;) {
    process.stderr.write('npm start …\n');
    const started = await startBenchStack();
    taken.push(started.startMilliseconds);
    if (taken.length < size.starts) {
      await started.stop();
      continue;
    }
    results.push({ what: 'npm start to the first answer', figure: median(taken) / 1000, unit: 's', atMost: 6 });
    return started;
  }
}
