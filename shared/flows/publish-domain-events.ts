import { logFailure } from '../aws/log.ts';
import { queueDomainEvents } from '../aws/queue.ts';
import * as due from '../data/due-jobs.ts';
import { eventsOf } from '../domain/domain-event.ts';

/** Queues committed domain events; false where that failed, and the events' own job does it again within minutes. */
export async function publishDomainEvents(outbox: readonly due.DueJob[]): Promise<boolean> {
  const jobs = outbox.flatMap((item) => (item.kind === 'notices' ? [item] : []));
  try {
    await queueDomainEvents(
      jobs.map(({ team_id, notices, at, told }) => ({ team_id, notices: eventsOf(notices), at, told })),
    );
    await Promise.all(jobs.map((job) => due.finish(job)));
    return true;
  } catch (error) {
    const domain_event_ids = jobs.flatMap(({ notices }) => eventsOf(notices).map(({ id }) => id));
    logFailure('domain events not published', error, { team_id: jobs[0]?.team_id, domain_event_ids }, 'warn');
    return false;
  }
}
