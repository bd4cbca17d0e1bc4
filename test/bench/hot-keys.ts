import type { UsageReport } from '../../local/usage.ts';
import type { BenchStack } from './bench-stack.ts';
import { listOf, send } from './campaign-runs.ts';
import { drain } from './feedback.ts';
import { accepted, importTo } from './requests.ts';
import { type Result, round } from './results.ts';
import { enrol, sendStep } from './sequences.ts';

/** What AWS takes on one partition key. */
const unitsPerSecond = 1_000;
/** Partitions whose sort keys are addresses: AWS splits one that is written at many addresses. */
const byAddress = /#(?:CONTACT|LIST#\d+|TAG#\d+|RECIPIENTS|ENGAGEMENT|CLICKS|SUBSCRIBERS|SUPPRESSION)$/;

/** Some work whose writes were metered by key. */
interface Flow {
  what: string;
  unit: string;
  count: number;
  atLeast?: number;
  used: UsageReport;
  /** Whether a function's writes belong to the flow. */
  of?: (name: string) => boolean;
}

/** The most written partition key of each flow, and how fast the flow can be on AWS before that key is the limit. */
export async function measureHotKeys(stack: BenchStack, count: number): Promise<Result[]> {
  const metered = (work: () => Promise<unknown>) => stack.metered(work, { keys: true });
  const listId = await listOf(stack, count);
  const feedback = (name: string) => name.endsWith('-apply-feedback');
  const campaign = await metered(() => send(stack, listId));
  const { id } = await accepted(stack.call('POST', '/lists', { name: 'Hot' }));
  const imported = await metered(() => importTo(stack, id, count));
  const events = await metered(() => drain(stack, count));
  const sequence = await enrol(stack, count);
  const steps = await metered(() => sendStep(stack, sequence.id));
  return [
    {
      what: 'a campaign',
      unit: 'emails/s',
      count,
      atLeast: 10_000,
      used: campaign,
      of: (name: string) => !feedback(name),
    },
    { what: 'deliveries of one campaign', unit: 'events/s', count, atLeast: 10_000, used: campaign, of: feedback },
    { what: 'mixed feedback of one campaign', unit: 'events/s', count, atLeast: 10_000, used: events, of: feedback },
    { what: 'import of contacts into one team', unit: 'contacts/s', count, atLeast: 5_000, used: imported },
    { what: 'a step of one sequence', unit: 'emails/s', count, atLeast: 10_000, used: steps },
  ].flatMap(ceilings);
}

/** The ceiling by the hottest key of all, and by the hottest one that AWS cannot split. */
export function ceilings({ what, unit, count, atLeast, used, of = () => true }: Flow): Result[] {
  const keys = (used.keys ?? [])
    .map(({ index, key, functions, peak_second }) => {
      const own = Object.entries(functions).filter(([name]) => of(name));
      return {
        name: `${index ? `${index} ` : ''}${key}`,
        units: own.reduce((sum, [, units]) => sum + units, 0),
        peak_second,
      };
    })
    .sort((a, b) => b.units - a.units);
  const line = (which: string, some: typeof keys): Result => ({
    what: `ceiling on AWS of ${what}, by its ${which}`,
    figure: some[0] ? (unitsPerSecond * count) / some[0].units : Number.POSITIVE_INFINITY,
    unit,
    atLeast,
    details: some
      .slice(0, 3)
      .map(
        ({ name, units, peak_second }) =>
          `${name}: ${round(units / count)} WU each, at most ${round(peak_second)}/s here`,
      )
      .join('; '),
  });
  const whole = keys.filter(({ name }) => !byAddress.test(name));
  return [line('hottest key', keys), line('hottest key that is not in order of addresses', whole)];
}
