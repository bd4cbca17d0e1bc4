import { log } from '../aws/log.ts';
import { queueDomainEvents } from '../aws/queue.ts';
import * as due from '../data/due-jobs.ts';

/** Hands notices that are committed to those who react to them; false where that must wait for the reconciler, which comes within minutes. */
export async function publishDomainEvents(outbox: readonly due.DueJob[]): Promise<boolean> {
  const notices = outbox.flatMap((item) => (item.kind === 'notices' ? [item] : []));
  try {
    await queueDomainEvents(notices.map(({ team_id, notices, at }) => ({ team_id, notices, at })));
    await Promise.all(notices.map((item) => due.finish(item)));
    return true;
  } catch (error) {
    log.warn('notices not handed over', { error: (error as Error).name });
    return false;
  }
}
