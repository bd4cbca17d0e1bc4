import { addressOf, domainOf } from './addresses.ts';
import type { Mailbox } from './mailbox.ts';
import { messageId, placeOf } from './message-ids.ts';
import type { Call, Entry, PendingEvent } from './records.ts';
import { type EventKind, outcomeOf } from './simulator.ts';

const MAX_HEADER_BYTES = 10 * 1024;
const SOURCE_IP = '127.0.0.1';
const SUPPRESSED =
  'Amazon SES has suppressed sending to this address because it has a recent history of bouncing as ' +
  'an invalid address.';

/** The message that SES publishes to SNS for an event; the same event always has the same text. */
export function eventMessage(source: Mailbox, call: Call, event: PendingEvent): string {
  const { index } = placeOf(event.message);
  const entry = call.entries[index]!;
  const id = messageId(call, index);
  const mail = mailObject(source, call, entry, id, event.kind);
  const eventType = event.kind === 'Suppression' ? 'Bounce' : event.kind;
  return JSON.stringify({ eventType, mail, ...eventObject(call, entry, id, event) });
}

function mailObject(source: Mailbox, call: Call, entry: Entry, id: string, kind: EventKind): object {
  const { account, region } = source.configurationSets;
  const mail = {
    timestamp: new Date(call.acceptedAt).toISOString(),
    source: call.from,
    sourceArn: `arn:aws:ses:${region}:${account}:identity/${domainOf(call.from)}`,
    sendingAccountId: account,
    messageId: id,
    destination: entry.to.map(bare),
    headersTruncated: false,
  };
  const tags = tagsOf(call, entry, kind);
  // A message that could not be rendered has no headers yet.
  if (kind === 'Rendering Failure') return { ...mail, tags };

  const template = source.templates.get(call.contentId);
  const subject = template.subject(entry.data);
  const headers = headersOf(call, entry, subject, template.content.html !== undefined);
  const common = {
    from: [call.from],
    replyTo: call.replyTo.length > 0 ? call.replyTo : undefined,
    to: entry.to,
    messageId: id,
    subject,
  };
  return { ...mail, ...headers, commonHeaders: common, tags };
}

/** The headers of a message in its events, up to 10 KB. */
function headersOf(call: Call, entry: Entry, subject: string, html: boolean) {
  const headers: Array<{ name: string; value: string }> = [];
  const add = (name: string, value: string) => headers.push({ name, value });
  add('From', call.from);
  if (call.replyTo.length > 0) add('Reply-To', call.replyTo.join(', '));
  add('To', entry.to.join(', '));
  add('Subject', subject);
  add('MIME-Version', '1.0');
  add('Content-Type', html ? 'multipart/alternative' : 'text/plain; charset=UTF-8');
  for (const { Name, Value } of entry.headers) add(Name, Value);
  let room = MAX_HEADER_BYTES;
  const kept = headers.filter(({ name, value }) => {
    room -= name.length + value.length;
    return room >= 0;
  });
  return { headersTruncated: kept.length < headers.length, headers: kept };
}

function tagsOf(call: Call, entry: Entry, kind: EventKind): Record<string, string[]> {
  const tags: Record<string, string[]> = {
    'ses:operation': [call.operation],
    'ses:configuration-set': [call.configurationSet ?? ''],
    'ses:source-ip': [SOURCE_IP],
    'ses:from-domain': [domainOf(call.from)],
    'ses:caller-identity': [call.caller],
  };
  if (kind === 'Delivery') tags['ses:outgoing-ip'] = [SOURCE_IP];
  for (const [name, value] of Object.entries(entry.tags)) tags[name] = [value];
  return tags;
}

function eventObject(call: Call, entry: Entry, id: string, { kind, at, detail }: PendingEvent): object {
  const timestamp = new Date(at).toISOString();
  const feedbackId = () => id.replace(/^0100/, '0101');
  const affected = () =>
    entry.to.map(bare).filter((address) => kind === 'Suppression' || outcomeOf(address.toLowerCase()).includes(kind));
  switch (kind) {
    case 'Delivery':
      return {
        delivery: {
          timestamp,
          processingTimeMillis: at - call.acceptedAt,
          recipients: affected(),
          smtpResponse: '250 2.6.0 Message received',
          remoteMtaIp: SOURCE_IP,
          reportingMTA: 'a8-53.smtp-out.amazonses.com',
        },
      };
    case 'Bounce':
    case 'Suppression':
      return { bounce: { feedbackId: feedbackId(), ...bounceOf(kind, affected()), timestamp } };
    case 'Complaint':
      return {
        complaint: {
          feedbackId: feedbackId(),
          complaintSubType: null,
          complainedRecipients: affected().map((emailAddress) => ({ emailAddress })),
          timestamp,
          userAgent: 'Amazon SES Mailbox Simulator',
          complaintFeedbackType: 'abuse',
          arrivalDate: timestamp,
        },
      };
    case 'Rendering Failure':
      return { failure: { templateName: '', ...detail } };
    case 'Reject':
      return { reject: { reason: 'Bad content' } };
    case 'Open':
      return { open: { timestamp, ...detail } };
    case 'Click':
      return { click: { timestamp, ...detail } };
  }
}

function bounceOf(kind: 'Bounce' | 'Suppression', addresses: string[]): object {
  const suppressed = kind === 'Suppression';
  const diagnosticCode = suppressed ? SUPPRESSED : 'smtp; 550 5.1.1 user unknown';
  return {
    bounceType: 'Permanent',
    bounceSubType: suppressed ? 'Suppressed' : 'General',
    bouncedRecipients: addresses.map((emailAddress) => ({
      emailAddress,
      action: 'failed',
      status: '5.1.1',
      diagnosticCode,
    })),
    reportingMTA: suppressed ? 'dns; amazonses.com' : 'dns; a8-53.smtp-out.amazonses.com',
  };
}

/** The address without its display name, in its original case. */
function bare(mailbox: string): string {
  const address = addressOf(mailbox);
  const at = mailbox.toLowerCase().lastIndexOf(address);
  return mailbox.slice(at, at + address.length);
}
