import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { log } from '../../shared/aws/log.ts';
import { fromSes, type ProviderEvent, type SesRecord } from '../../shared/domain/events/ses-event.ts';
import { applyEvents } from '../../shared/flows/feedback/apply-events.ts';

/** With less time than this a batch that failed is not taken apart any more. */
const marginMs = 20_000;

/** An event and the message that it came in. */
interface Entry {
  found: ProviderEvent;
  messageId: string;
}

/** Takes SES's events, as SNS put them into the queue, into the pipeline; a message that cannot be read or applied is reported alone. */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  const deadline = Date.now() + context.getRemainingTimeInMillis() - marginMs;
  const failed = new Set<string>();
  const read = event.Records.flatMap((record) => {
    try {
      return parse(record).map((found): Entry => ({ found, messageId: record.messageId }));
    } catch (error) {
      log.error('unreadable feedback', { error: (error as Error).name, message_id: record.messageId });
      failed.add(record.messageId);
      return [];
    }
  });
  for (const [teamId, entries] of Map.groupBy(read, ({ found }) => found.team_id))
    for (const { messageId } of await apply(teamId, entries, deadline)) failed.add(messageId);
  return { batchItemFailures: [...failed].map((itemIdentifier) => ({ itemIdentifier })) };
}

/** Applies a team's events, together as long as that works; returns those that could not be: one must not hold up the others. */
async function apply(teamId: number, entries: readonly Entry[], deadline: number): Promise<readonly Entry[]> {
  try {
    const events = entries.map(({ found }) => found);
    await applyEvents(teamId, events);
    return [];
  } catch (error) {
    if (entries.length > 1 && Date.now() < deadline) {
      const half = Math.ceil(entries.length / 2);
      const first = await apply(teamId, entries.slice(0, half), deadline);
      return [...first, ...(await apply(teamId, entries.slice(half), deadline))];
    }
    log.error('feedback not applied', { error: (error as Error).name, team_id: teamId, messages: entries.length });
    return entries;
  }
}

/** The events in a queue message: SNS's envelope around SES's record, or the record alone where raw delivery is on. */
function parse(record: SQSRecord): ProviderEvent[] {
  const outer = JSON.parse(record.body) as { Type?: string; Message?: string } & SesRecord;
  return fromSes(outer.Type === 'Notification' ? (JSON.parse(outer.Message!) as SesRecord) : outer);
}
