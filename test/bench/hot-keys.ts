import type { UsageReport } from '../../local/usage.ts';
import type { BenchStack } from './bench-stack.ts';
import { listOf, send } from './campaign-runs.ts';
import { drain } from './feedback.ts';
import { accepted, importTo } from './requests.ts';
import { type Result, round } from './results.ts';
import { enrol, sendStep } from './sequences.ts';

/** What AWS takes on one partition key. */
const unitsPerSecond = 1_000;
/** AWS splits a key whose hottest eighth gets no more of its writes than this (local/sort-key-heat.ts). */
const splittableShare = 0.3;

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
  // The jobs of the minutes until then belong to no flow.
  await stack.clock({ advance_seconds: 3_400 });
  await stack.idle();
  const steps = await metered(() => sendStep(stack, sequence.id, 300));
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

/** The ceiling by the hottest key of all, and by the hottest part of a key that AWS cannot split. */
export function ceilings({ what, unit, count, atLeast, used, of = () => true }: Flow): Result[] {
  const keys = (used.keys ?? []).map(({ index, key, functions, peak_second, hottest_share }) => {
    const own = Object.entries(functions).filter(([name]) => of(name));
    const units = own.reduce((sum, [, units]) => sum + units, 0);
    return { name: `${index ? `${index} ` : ''}${key}`, units, peak_second, hottest_share };
  });
  const line = (which: string, some: typeof keys, atLeast?: number): Result => {
    const hottest = some.sort((a, b) => b.units - a.units).slice(0, 3);
    return {
      what: `ceiling on AWS of ${what}, by its ${which}`,
      figure: hottest[0] ? (unitsPerSecond * count) / hottest[0].units : Number.POSITIVE_INFINITY,
      unit,
      atLeast,
      details: hottest
        .map(
          ({ name, units, peak_second, hottest_share }) =>
            `${name}: ${round(units / count)} WU each, at most ${round(peak_second)}/s here,` +
            ` hottest eighth ${round(hottest_share * 100)}%`,
        )
        .join('; '),
    };
  };
  const ends = keys
    .filter(({ hottest_share }) => hottest_share > splittableShare)
    .map((key) => ({ ...key, units: key.units * key.hottest_share }));
  return [line('hottest key', keys), line('hottest part of a key that AWS cannot split', ends, atLeast)];
}
