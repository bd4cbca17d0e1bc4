import { setTimeout as sleep } from 'node:timers/promises';
import type { UsageReport } from '../../local/usage.ts';
import { dueJob } from '../../shared/data/due-jobs.ts';
import { keys, partitions } from '../../shared/data/keys.ts';
import { toItem as dueMark } from '../../shared/data/sequences/due-marks.ts';
import { timestamp } from '../../shared/domain/time.ts';
import type { Row } from '../support/table.ts';
import type { BenchStack } from './bench-stack.ts';
import { stackTime } from './campaign-runs.ts';
import { functionOf, type Result, round } from './results.ts';
import { writeRows } from './table-rows.ts';

/** The size that the budget is for. */
const [sequences, campaigns] = [10_000, 1_000];
const patienceSeconds = 75;
const pollMilliseconds = 250;
const firstTeam = 1_000_000;

/**
 * How long a minute's reminders take to be handed out: of active sequences, each of another team and with a subscriber
 * who is due, and of campaigns. Nothing is sent, since behind the reminders there is no record. With a `share` of the
 * size the time is scaled up.
 */
export async function measureReminders(stack: BenchStack, share: number): Promise<Result[]> {
  const [waiting, jobs] = [sequences * share, campaigns * share];
  const now = new Date(await stackTime(stack));
  await writeRows(stack, [
    ...Array.from({ length: waiting }, (_, index) => dueSequence(firstTeam + index, index, now)).flat(),
    ...Array.from({ length: jobs }, (_, index) => ({
      ...dueJob({ kind: 'campaign', team_id: firstTeam + index, campaign_id: 1 }, now),
    })),
  ]);
  await stack.call('POST', '/_local/usage');
  const begun = performance.now();
  // The advance goes on for as long as the reminders do; the stack may end before.
  stack.call('POST', '/_local/clock', { advance_seconds: 60 }).catch(() => {});
  let [handed, seconds] = [0, 0];
  while (handed < waiting && seconds < patienceSeconds) {
    await sleep(pollMilliseconds);
    const { body } = await stack.call('GET', '/_local/usage');
    handed = functionOf(body as UsageReport, 'send-steps')?.messages ?? 0;
    seconds = (performance.now() - begun) / 1000;
  }
  await stack.call('DELETE', '/_local/usage');
  return [
    {
      what: `reminders handed out, ${round(sequences)} sequences of as many teams, ${round(campaigns)} campaigns`,
      figure: ((seconds / share) * waiting) / handed,
      unit: 's',
      atMost: 20,
      details: `${round(handed)} of ${round(waiting)} sequences in ${round(seconds)} s, scaled`,
    },
  ];
}

/** The pointer to an active sequence, and a subscriber who is due since a minute, with its mark. */
function dueSequence(team: number, index: number, now: Date): Row[] {
  const email = `due.${index}@reminders.example`;
  return [
    { ...keys.activeSequence(index % 4, team, 1), team_id: team, sequence_id: 1 },
    { ...dueMark(team, 1, { shard: index % 4, dueAt: now.getTime() }) },
    {
      ...keys.sequenceSubscriber(team, 1, email),
      gsi2pk: partitions.sequenceDue(team, 1, index % 4),
      gsi2sk: `${timestamp(new Date(now.getTime() - 60_000))}#${email}`,
      email,
    },
  ];
}
