import type { Step } from '../../domain/sequences/sequence.ts';
import { keys } from '../keys.ts';
import * as table from '../table.ts';
import type { TeamItem } from '../teams/teams.ts';
import type { SequenceItem } from './sequences.ts';
import type { Shard, ShardItem } from './shards.ts';

/** What decides whether and how a shard sends; without a sequence or a team where it was deleted. */
export interface Sending {
  shard: ShardItem;
  sequence: SequenceItem | undefined;
  steps: readonly Step[];
  team: TeamItem | undefined;
}

/** Reads in one call what decides whether and how a shard sends. */
export async function readSending({ teamId, sequenceId, shard }: Shard): Promise<Sending> {
  const [lane, sequence, list, team] = await table.batchGet<object>([
    keys.sequenceLane(teamId, sequenceId, shard),
    keys.sequence(teamId, sequenceId),
    keys.sequenceSteps(teamId, sequenceId),
    keys.team(teamId),
  ]);
  const { steps = [] } = (list ?? {}) as { steps?: Step[] };
  return { shard: (lane ?? {}) as ShardItem, sequence: sequence as SequenceItem, steps, team: team as TeamItem };
}
