import { normalizeEmail } from '../email-address.ts';
import { timestamp } from '../time.ts';
import type { EventType, IncomingEvent } from './delivery-event.ts';
import { placeIn } from './place.ts';

interface SesRecipient {
  emailAddress: string;
  diagnosticCode?: string;
}

/** The part that we read of SES's event record ("Contents of event data that Amazon SES publishes to SNS"). */
export interface SesRecord {
  eventType: string;
  mail: { messageId: string; timestamp: string; destination: string[]; tags?: Record<string, string[]> };
  delivery?: { timestamp: string; recipients: string[]; smtpResponse?: string };
  bounce?: {
    timestamp: string;
    bounceType: string;
    bounceSubType: string;
    bouncedRecipients: SesRecipient[];
    feedbackId?: string;
  };
  complaint?: {
    timestamp: string;
    complainedRecipients: SesRecipient[];
    complaintFeedbackType?: string;
    feedbackId?: string;
  };
  deliveryDelay?: { timestamp: string; delayType: string; delayedRecipients: SesRecipient[] };
  reject?: { reason: string };
  failure?: { errorMessage: string };
  open?: { timestamp: string; userAgent?: string; ipAddress?: string; isBotEvent?: string };
  click?: { timestamp: string; link: string; userAgent?: string; ipAddress?: string; isBotEvent?: string };
}

/** An event of the provider, with the team in its message's tags. */
export interface ProviderEvent extends IncomingEvent {
  team_id: number;
}

type Detail = [event: EventType, at: string, emails: string[], metadata: Record<string, unknown>];

function detail(record: SesRecord): Detail | undefined {
  const { mail, delivery, bounce, complaint, deliveryDelay, reject, failure, open, click } = record;
  const addresses = (list: SesRecipient[]) => list.map(({ emailAddress }) => emailAddress);
  switch (record.eventType) {
    case 'Delivery':
      return ['delivered', delivery!.timestamp, delivery!.recipients, { smtp_response: delivery!.smtpResponse }];
    case 'Bounce': {
      const { timestamp: at, bounceType, bounceSubType, bouncedRecipients } = bounce!;
      const bounce_type = bounceType === 'Transient' ? 'soft' : 'hard';
      const reason = bouncedRecipients[0]?.diagnosticCode;
      const metadata = { bounce_type, bounce_sub_type: bounceSubType, reason };
      return ['bounced', at, addresses(bouncedRecipients), metadata];
    }
    case 'Complaint': {
      const { timestamp: at, complainedRecipients, complaintFeedbackType: feedback_type } = complaint!;
      // The recipient told their provider that this was not spam: no complaint.
      if (feedback_type === 'not-spam') return undefined;
      return ['spam_report', at, addresses(complainedRecipients), { feedback_type }];
    }
    case 'DeliveryDelay': {
      const { timestamp: at, delayType, delayedRecipients } = deliveryDelay!;
      return ['deferred', at, addresses(delayedRecipients), { reason: delayType }];
    }
    case 'Reject':
      return ['dropped', mail.timestamp, mail.destination, { reason: reject?.reason }];
    case 'Rendering Failure':
      return ['dropped', mail.timestamp, mail.destination, { reason: failure?.errorMessage }];
    case 'Open':
      return ['opened', open!.timestamp, mail.destination, agentOf(open!)];
    case 'Click':
      return ['clicked', click!.timestamp, mail.destination, { url: click!.link, ...agentOf(click!) }];
    default:
      return undefined;
  }
}

const agentOf = (from: { userAgent?: string; ipAddress?: string; isBotEvent?: string }) => ({
  user_agent: from.userAgent,
  ip: from.ipAddress,
  ...(from.isBotEvent === 'Likely' && { bot: true }),
});

/** The delivery events of an SES record, one per recipient; none for a message or an event type that is not ours. */
export function fromSes(record: SesRecord): ProviderEvent[] {
  const tag = (name: string): number | undefined => {
    const value = Number(record.mail.tags?.[name]?.[0]);
    return Number.isInteger(value) ? value : undefined;
  };
  const [team_id, found] = [tag('team'), detail(record)];
  if (team_id === undefined || !found) return [];
  const [event, at, addressed, metadata] = found;
  const [variant, page, index] = [tag('variant'), tag('page'), tag('index')];
  const occurred_at = timestamp(Date.parse(at));
  // Our messages have one recipient. After forwarding, the report may name another address.
  const emails = record.mail.destination.length === 1 ? record.mail.destination : addressed;
  return emails.map((email) => ({
    team_id,
    email: normalizeEmail(email),
    event,
    campaign_id: tag('campaign') ?? null,
    contact_id: tag('contact') ?? null,
    provider: 'ses',
    source: 'provider',
    confirmed: record.bounce?.bounceType !== 'Undetermined',
    ...((record.mail.tags?.sequence ?? record.mail.tags?.kind) && {
      direct: true,
      sent_at: timestamp(Date.parse(record.mail.timestamp)),
    }),
    ...(variant !== undefined && { variant }),
    ...(page !== undefined && index !== undefined && { place: placeIn(page, index) }),
    metadata: {
      ...JSON.parse(JSON.stringify(metadata)),
      ...(tag('sequence') !== undefined && { sequence_id: tag('sequence'), step_id: tag('step') }),
      provider_event_id: `${record.mail.messageId}:${occurred_at}${metadata.url ? `:${metadata.url}` : ''}`,
    },
    occurred_at,
  }));
}
