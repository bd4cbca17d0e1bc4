import type { SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { log } from '../../shared/aws/log.ts';
import { fromSes, type ProviderEvent, type SesRecord } from '../../shared/domain/ses-event.ts';
import { applyEvents } from '../../shared/flows/apply-events.ts';

/** Takes SES's events, as SNS put them into the queue, into the pipeline; a message that cannot be read or applied is reported alone. */
export async function handler(event: SQSEvent): Promise<SQSBatchResponse> {
  const failed = new Set<string>();
  const read = event.Records.flatMap((record) => {
    try {
      return parse(record).map((found) => ({ found, messageId: record.messageId }));
    } catch (error) {
      log.error('unreadable feedback', { error: (error as Error).name, message_id: record.messageId });
      failed.add(record.messageId);
      return [];
    }
  });
  for (const [teamId, entries] of Map.groupBy(read, ({ found }) => found.team_id)) {
    try {
      await applyEvents(
        teamId,
        entries.map(({ found }) => found),
      );
    } catch (error) {
      log.error('feedback not applied', { error: (error as Error).name, team_id: teamId });
      for (const { messageId } of entries) failed.add(messageId);
    }
  }
  return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
}

/** The events in a queue message: SNS's envelope around SES's record, or the record alone where raw delivery is on. */
function parse(record: SQSRecord): ProviderEvent[] {
  const outer = JSON.parse(record.body) as { Type?: string; Message?: string } & SesRecord;
  return fromSes(outer.Type === 'Notification' ? (JSON.parse(outer.Message!) as SesRecord) : outer);
}
