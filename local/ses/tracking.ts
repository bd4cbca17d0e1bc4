import type { IncomingHttpHeaders } from 'node:http';
import type { HttpResult } from '../http/http-event.ts';
import { linksOf } from './links.ts';
import { findMessage, type Mailbox, renderEntry } from './mailbox.ts';
import { messageNumber } from './message-ids.ts';
import type { Call, NewEvent } from './records.ts';

const ROUTE = /^\/_local\/ses\/(open|click)\/([0-9a-f-]{36})-(\d+)(?:-(\d+))?(?:\?|$)/;
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', 'base64');
/** SES records opens and clicks for 60 days after the send. */
const COLLECTED_MS = 60 * 24 * 3600 * 1000;

/** A request from a mail reader. */
export interface TrackRequest {
  method: string;
  /** With the query. */
  path: string;
  headers: IncomingHttpHeaders;
}

/** The parts of the server that record events. */
export interface Tracking extends Mailbox {
  /** Called with the number of events to publish. */
  eventsRecorded(count: number): void;
}

/** Answers an open pixel or a tracked link and records its event; answers 404 for an unknown token. */
export function track(server: Tracking, request: TrackRequest): HttpResult {
  if (request.method !== 'GET' && request.method !== 'HEAD') return reply(405, { allow: 'GET, HEAD' });
  const [, kind, uuid, index, link] = ROUTE.exec(request.path) ?? [];
  const found = uuid === undefined ? undefined : findMessage(server.store, uuid, Number(index));
  if (!found || (kind === 'click') !== (link !== undefined)) return reply(404, {});
  const { call, entry } = found;
  if (kind === 'open') {
    recordEvent(server, call, Number(index), 'Open', visitor(request));
    return reply(200, { 'content-type': 'image/gif' }, request.method === 'HEAD' ? undefined : PIXEL);
  }
  const target = linksOf(renderEntry(server.templates, call, entry)?.html ?? '')[Number(link)];
  if (!target) return reply(404, {});
  recordEvent(server, call, Number(index), 'Click', { ...visitor(request), link: target });
  return reply(302, { location: target });
}

function recordEvent(server: Tracking, call: Call, index: number, kind: 'Open' | 'Click', detail: NewEvent['detail']) {
  const at = Date.now();
  if (at - call.acceptedAt > COLLECTED_MS) return;
  if (server.configurationSets.topics(call.configurationSet, kind).length === 0) return;
  server.store.addEvents([{ message: messageNumber(call.id, index), kind, at, detail }]);
  server.eventsRecorded(1);
}

function visitor({ method, headers }: TrackRequest) {
  const forwarded = headers['x-forwarded-for'];
  const [ipAddress] = (Array.isArray(forwarded) ? forwarded.join() : (forwarded ?? '')).split(',');
  return {
    userAgent: headers['user-agent'] ?? 'UnknownUserAgent',
    ipAddress: ipAddress?.trim() || '127.0.0.1',
    // Mail readers send GET; scanners send HEAD.
    isBotEvent: method === 'HEAD' ? 'Likely' : 'Unlikely',
  };
}

function reply(status: number, headers: Record<string, string>, body = Buffer.alloc(0)): HttpResult {
  return { status, headers: { 'cache-control': 'no-store', ...headers }, body };
}
