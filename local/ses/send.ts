import { randomUUID } from 'node:crypto';
import type {
  SendBulkEmailRequest,
  SendBulkEmailResponse,
  SendEmailRequest,
  SendEmailResponse,
} from '@aws-sdk/client-sesv2';
import { addressFault, addressOf } from './addresses.ts';
import { badRequest, notFound, SesError } from './errors.ts';
import { list, readData, readHeaders, readTags } from './fields.ts';
import { forwardFeedback } from './forwarding.ts';
import type { Identities } from './identities.ts';
import type { SendingLimits } from './limits.ts';
import { messageId } from './message-ids.ts';
import { type Call, type Entry, type PlannedEvent, recipientsOf } from './records.ts';
import { type Content, renderingFault, type Template } from './render.ts';
import { inlineContent, type Refusal, readEntry, readFrom, simpleContent } from './send-request.ts';
import { type EventKind, isSimulator, outcomeOf } from './simulator.ts';
import type { Suppressed } from './suppressed.ts';
import type { Tracking } from './tracking.ts';

const MAX_DESTINATIONS = 50;
const MAX_REQUEST_BYTES = 1024 * 1024;
/** SES rejects a message with this virus test string in any part. */
const SUPPRESSED: readonly EventKind[] = ['Suppression'];
const EICAR = 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE';

/** The parts of the server that send. */
export interface Sending extends Tracking {
  identities: Identities;
  suppressed: Suppressed;
  limits: SendingLimits;
  /** Without production access (SES's sandbox), mail goes to verified domains and the simulator only. */
  account: { production: boolean; plan: string };
}

/** A request to send: the parsed body, its bytes and the access key that signed it. */
export interface SendRequest<T> {
  input: T;
  body: Buffer;
  caller: string;
}

type Draft = Omit<Call, 'id' | 'uuid' | 'acceptedAt' | 'contentId'> & { template: Template };

/** SendEmail with simple content; refuses templates and raw mail. */
export function sendEmail(server: Sending, { input, body, caller }: SendRequest<SendEmailRequest>): SendEmailResponse {
  const { Simple } = input.Content ?? {};
  if (!Simple) throw badRequest('The local SES takes Content.Simple only.');
  const from = readFrom(input.FromEmailAddress);
  const fault = list(input.ReplyToAddresses, 'ReplyToAddresses').map(addressFault).find(Boolean);
  if (fault) throw badRequest(fault);
  const entry = readEntry(input.Destination);
  if ('Status' in entry) throw badRequest(entry.Error);
  entry.tags = readTags(input.EmailTags, 'emailTags');
  entry.headers = readHeaders(Simple.Headers, 'content.headers');
  const content = simpleContent(Simple);
  checkSender(server, from, input.ConfigurationSetName);
  const [unverified] = unverifiedIn(server, entry);
  if (unverified) throw new SesError('MessageRejected', 400, notVerified(server, unverified));
  if (countedRecipients(entry) > 0) server.limits.remaining();
  const call = accept(server, body, {
    operation: 'SendEmail',
    caller,
    from,
    replyTo: input.ReplyToAddresses ?? [],
    configurationSet: input.ConfigurationSetName,
    entries: [entry],
    template: server.templates.of(content),
  });
  return { MessageId: messageId(call, 0) };
}

/** SendBulkEmail with an inline template; each entry is a message, accepted or refused by itself. */
export function sendBulkEmail(
  server: Sending,
  { input, body, caller }: SendRequest<SendBulkEmailRequest>,
): SendBulkEmailResponse {
  if (body.length > MAX_REQUEST_BYTES) throw badRequest('A request with an inline template can be up to 1 MB.');
  const from = readFrom(input.FromEmailAddress);
  const template = server.templates.of(inlineContent(input.DefaultContent?.Template));
  const replyToFault = list(input.ReplyToAddresses, 'ReplyToAddresses').map(addressFault).find(Boolean);

  const requested = list(input.BulkEmailEntries, 'BulkEmailEntries', MAX_DESTINATIONS) as NonNullable<
    SendBulkEmailRequest['BulkEmailEntries']
  >;
  if (requested.length === 0) throw badRequest('BulkEmailEntries must have at least 1 member.');
  const read = requested.map((asked): Entry | Refusal => {
    const headers = readHeaders(asked.ReplacementHeaders, 'bulkEmailEntries.replacementHeaders');
    const tags = readTags(asked.ReplacementTags, 'bulkEmailEntries.replacementTags');
    const replacement = asked.ReplacementEmailContent?.ReplacementTemplate?.ReplacementTemplateData;
    const data = readData(replacement, 'ReplacementTemplateData');
    if (replyToFault) return { Status: 'INVALID_PARAMETER', Error: replyToFault };
    const entry = readEntry(asked.Destination);
    if ('Status' in entry) return entry;
    return { ...entry, headers, tags, data };
  });

  checkSender(server, from, input.ConfigurationSetName);
  const allowed = read.map((entry): Entry | Refusal => {
    const [unverified] = 'Status' in entry ? [] : unverifiedIn(server, entry);
    return unverified ? { Status: 'MESSAGE_REJECTED', Error: notVerified(server, unverified) } : entry;
  });
  const results = withinRate(server, withinQuota(server, allowed));
  const entries = results.filter((result): result is Entry => !('Status' in result));
  if (entries.length === 0) return { BulkEmailEntryResults: results as Refusal[] };
  const call = accept(server, body, {
    operation: 'SendBulkEmail',
    caller,
    from,
    replyTo: input.ReplyToAddresses ?? [],
    configurationSet: input.ConfigurationSetName,
    entries,
    template,
  });
  let index = 0;
  return {
    BulkEmailEntryResults: results.map((result) =>
      'Status' in result ? result : { Status: 'SUCCESS', MessageId: messageId(call, index++) },
    ),
  };
}

function accept(server: Sending, body: Buffer, { template, ...draft }: Draft): Call {
  const { entries } = draft;
  server.limits.takeRate(entries.reduce((sum, { to }) => sum + to.length, 0));
  const counted = entries.reduce((sum, entry) => sum + countedRecipients(entry), 0);
  const stamped = { ...draft, uuid: randomUUID(), acceptedAt: Date.now(), contentId: server.templates.idOf(template) };
  const events = planEvents(server, stamped, template, body.includes(EICAR));
  const call = server.store.accept(stamped, counted, events);
  server.limits.count(counted);
  server.eventsRecorded(events.length);
  forwardFeedback(server, call);
  return call;
}

/** The events of a call's messages that have a subscriber. */
function planEvents(
  { configurationSets: sets, suppressed }: Sending,
  call: Omit<Call, 'id'>,
  template: Template,
  infected: boolean,
): PlannedEvent[] {
  const wanted = (kind: EventKind) => sets.topics(call.configurationSet, kind).length > 0;
  const outcome = (address: string) => (suppressed.has(address) ? SUPPRESSED : outcomeOf(address));
  const events: PlannedEvent[] = [];
  for (const [index, entry] of call.entries.entries()) {
    const fault = renderingFault(template, entry.data);
    const kinds: EventKind[] = fault
      ? ['Rendering Failure']
      : infected && isInfected(template.content, entry)
        ? ['Reject']
        : [...new Set(recipientsOf(entry).flatMap(outcome))];
    for (const [step, kind] of kinds.entries()) {
      if (!wanted(kind)) continue;
      events.push({ index, kind, at: call.acceptedAt + step + 1, detail: fault ? { errorMessage: fault } : null });
    }
  }
  return events;
}

const isInfected = (content: Content, entry: Entry) => JSON.stringify([content, entry]).includes(EICAR);

function checkSender(server: Sending, from: string, configurationSet?: string): void {
  if (configurationSet !== undefined && !server.configurationSets.has(configurationSet)) {
    throw notFound(`Configuration set <${configurationSet}> does not exist.`);
  }
  if (!server.identities.canSend(from)) throw new SesError('MessageRejected', 400, notVerified(server, from));
}

const notVerified = ({ configurationSets }: Sending, address: string): string =>
  'Email address is not verified. The following identities failed the check in region ' +
  `${configurationSets.region.toUpperCase()}: ${addressOf(address)}`;

/** The recipients to which an account in the sandbox may not send. */
const unverifiedIn = ({ account, identities }: Sending, entry: Entry): string[] =>
  account.production
    ? []
    : recipientsOf(entry).filter((address) => !isSimulator(address) && !identities.canSend(address));

/** The number of recipients that count against the daily quota; those of the simulator do not. */
const countedRecipients = (entry: Entry) => recipientsOf(entry).filter((address) => !isSimulator(address)).length;

/** Throttles the entries beyond what the account may send in a second: no bulk call may be larger. */
function withinRate({ limits }: Sending, entries: Array<Entry | Refusal>): Array<Entry | Refusal> {
  let left = Math.max(1, limits.maxSendRate);
  return entries.map((entry) => {
    if ('Status' in entry) return entry;
    left -= recipientsOf(entry).length;
    return left < 0 ? { Status: 'ACCOUNT_THROTTLED', Error: 'Maximum sending rate exceeded.' } : entry;
  });
}

/** Refuses the entries that exceed the daily quota. */
function withinQuota({ limits }: Sending, entries: Array<Entry | Refusal>): Array<Entry | Refusal> {
  let left: number | undefined;
  return entries.map((entry) => {
    if ('Status' in entry) return entry;
    const counted = countedRecipients(entry);
    if (counted === 0) return entry;
    left ??= limits.remaining();
    if (left <= 0) return { Status: 'ACCOUNT_DAILY_QUOTA_EXCEEDED', Error: 'Daily message quota exceeded.' };
    left -= counted;
    return entry;
  });
}
