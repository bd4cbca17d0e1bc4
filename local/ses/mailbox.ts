import { addressOf, decodeWords } from './addresses.ts';
import type { ConfigurationSets } from './configuration-sets.ts';
import { addPixel, rewriteLinks, trackingToken } from './links.ts';
import { messageId, parseMessageId, placeOf } from './message-ids.ts';
import { CAMPAIGN_TAG, type Call, type Entry, recipientsOf } from './records.ts';
import { type Rendered, renderingFault } from './render.ts';
import type { Store } from './store.ts';
import type { Templates } from './templates.ts';

/** A captured message, as `GET /_local/messages` shows it. */
export interface Message {
  message_id: string;
  /** All To addresses, separated by commas. */
  to: string;
  from: string;
  reply_to: string | null;
  /** Null when SES could not render the message. */
  subject: string | null;
  html: string | null;
  text: string | null;
  headers: Record<string, string>;
  tags: Record<string, string>;
  accepted_at: string;
}

/** Which messages to show; all conditions must match. */
export interface MessageFilter {
  to?: string;
  /** The value of the message tag `campaign`. */
  campaign_id?: string | number;
  message_id?: string;
  /** The maximum number of messages, newest first. @default all */
  limit?: number;
}

/** The parts of the server that read messages. */
export interface Mailbox {
  store: Store;
  templates: Templates;
  configurationSets: ConfigurationSets;
  trackingBaseUrl: string;
}

/** The accepted messages, newest last, as their recipients receive them. */
export function readMessages(server: Mailbox, filter: MessageFilter): Message[] {
  const campaign = filter.campaign_id === undefined ? undefined : String(filter.campaign_id);
  const to = filter.to === undefined ? undefined : addressOf(filter.to);
  const messages: Message[] = [];
  for (const { call, index } of candidates(server.store, { to, campaign, id: filter.message_id })) {
    const entry = call.entries[index]!;
    if (campaign !== undefined && entry.tags[CAMPAIGN_TAG] !== campaign) continue;
    if (to !== undefined && !recipientsOf(entry).includes(to)) continue;
    messages.push(view(server, call, index, entry));
    if (messages.length === filter.limit) break;
  }
  return messages.reverse();
}

/** The message at a place of a call; undefined when there is none. */
export function findMessage(store: Store, uuid: string, index: number): { call: Call; entry: Entry } | undefined {
  const id = store.findCall(uuid);
  const call = id === undefined ? undefined : store.call(id);
  const entry = call?.entries[index];
  return call && entry && { call, entry };
}

/** A message's parts with the original links; undefined when they cannot be rendered. */
export function renderEntry(templates: Templates, call: Call, entry: Entry): Rendered | undefined {
  const template = templates.get(call.contentId);
  return renderingFault(template, entry.data) ? undefined : template.render(entry.data);
}

/** Messages that may match, newest first, from the narrowest index that the filter allows. */
function* candidates(store: Store, { to, campaign, id }: { to?: string; campaign?: string; id?: string }) {
  if (id !== undefined) {
    const place = parseMessageId(id);
    const found = place && findMessage(store, place.uuid, place.index);
    if (found && messageId(found.call, place.index) === id) yield { call: found.call, index: place.index };
  } else if (to !== undefined) {
    for (const message of store.messagesTo(to).reverse()) {
      const { call, index } = placeOf(message);
      yield { call: store.call(call)!, index };
    }
  } else {
    const calls = campaign === undefined ? store.allCalls() : store.callsOfCampaign(campaign);
    for (const callId of calls.reverse()) {
      const call = store.call(callId)!;
      for (let index = call.entries.length - 1; index >= 0; index--) yield { call, index };
    }
  }
}

function view(server: Mailbox, call: Call, index: number, entry: Entry): Message {
  const parts = renderEntry(server.templates, call, entry);
  const html = parts?.html ? tracked(server, call, index, parts.html) : (parts?.html ?? null);
  return {
    message_id: messageId(call, index),
    to: entry.to.join(', '),
    from: decodeWords(call.from),
    reply_to: call.replyTo.length > 0 ? call.replyTo.map(decodeWords).join(', ') : null,
    subject: parts?.subject ?? null,
    html,
    text: parts?.text ?? null,
    headers: headersOf(call, index, entry, parts?.subject),
    tags: entry.tags,
    accepted_at: new Date(call.acceptedAt).toISOString().replace('Z', '+00:00'),
  };
}

function tracked(server: Mailbox, call: Call, index: number, html: string): string {
  const { configurationSets, trackingBaseUrl } = server;
  const url = (kind: string, link?: number) =>
    `${trackingBaseUrl}/_local/ses/${kind}/${trackingToken(call.uuid, index, link)}`;
  let result = html;
  if (configurationSets.topics(call.configurationSet, 'Click').length > 0) {
    result = rewriteLinks(result, (link) => url('click', link));
  }
  if (configurationSets.topics(call.configurationSet, 'Open').length > 0) result = addPixel(result, url('open'));
  return result;
}

function headersOf(call: Call, index: number, entry: Entry, subject: string | undefined): Record<string, string> {
  const headers: Record<string, string> = { From: call.from, To: entry.to.join(', ') };
  if (call.replyTo.length > 0) headers['Reply-To'] = call.replyTo.join(', ');
  if (subject !== undefined) headers.Subject = subject;
  headers.Date = new Date(call.acceptedAt).toUTCString();
  headers['Message-ID'] = `<${messageId(call, index)}@email.amazonses.com>`;
  headers['MIME-Version'] = '1.0';
  for (const { Name, Value } of entry.headers) headers[Name] = Value;
  return headers;
}
