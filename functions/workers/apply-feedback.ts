import { fromSes, type ProviderEvent, type SesRecord } from '../../shared/domain/events/ses-event.ts';
import { applyEvents } from '../../shared/flows/feedback/apply-events.ts';
import { groupWorker } from '../../shared/workers/batch.ts';

/** Applies SES's events, those of a team together. */
export const handler = groupWorker<ProviderEvent>({
  failure: 'feedback not applied',
  marginMs: 20_000,
  read,
  groupOf: ({ team_id }) => team_id,
  async handle(teamId, events) {
    await applyEvents(teamId, events);
  },
});

/** The events in a queue message: SNS's envelope around SES's record, or the record alone where raw delivery is on. */
function read(body: string): ProviderEvent[] {
  const outer = JSON.parse(body) as { Type?: string; Message?: string } & SesRecord;
  return fromSes(outer.Type === 'Notification' ? (JSON.parse(outer.Message!) as SesRecord) : outer);
}
