import { keys } from '../keys.ts';
import * as table from '../table.ts';
import type { WebhookItem } from './endpoints.ts';

/** The `run_until` of a run that has ended: later than any time. */
export const over = '~';

type Expected = Pick<WebhookItem, 'id' | 'run' | 'run_until'>;

const keyOf = (teamId: number, id: number) => ({ Key: keys.webhook(teamId, id) });

/** Whether the endpoint's run looks at its retries by a time, without being replaced. */
export const covers = ({ run, run_until }: Expected, at: string): boolean =>
  run !== undefined && (run_until === undefined || run_until <= at);

/** Makes the next run the endpoint's run, at work; undefined when the one that was read is not it any more. */
export async function replace(teamId: number, { id, run, run_until }: Expected): Promise<number | undefined> {
  const as = (name: string, value: unknown) =>
    value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}`;
  const next = (run ?? 0) + 1;
  const replaced = await table.writeIf({
    ...keyOf(teamId, id),
    UpdateExpression: 'SET #run = :next, run_steps = :none REMOVE #run_until',
    ConditionExpression: `attribute_exists(pk) AND ${as('run', run)} AND ${as('run_until', run_until)}`,
    ExpressionAttributeValues: {
      ':next': next,
      ':none': 0,
      ...(run !== undefined && { ':run': run }),
      ...(run_until !== undefined && { ':run_until': run_until }),
    },
  });
  return replaced ? next : undefined;
}

/** Marks a run as at work and counts its step; the endpoint, undefined when the run is not its run any more. */
export function work(teamId: number, id: number, run: number): Promise<WebhookItem | undefined> {
  return table.updateIf<WebhookItem>({
    ...keyOf(teamId, id),
    UpdateExpression: 'ADD run_steps :one REMOVE #run_until',
    ConditionExpression: '#run = :run',
    ExpressionAttributeValues: { ':run': run, ':one': 1 },
  });
}

/** Announces until when a run waits: a retry that is due before replaces it. False when that has happened. */
export function wait(teamId: number, id: number, run: number, until: string): Promise<boolean> {
  return table.writeIf({
    ...keyOf(teamId, id),
    UpdateExpression: 'SET #run_until = :until',
    ConditionExpression: '#run = :run',
    ExpressionAttributeValues: { ':run': run, ':until': until },
  });
}
