import { hash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { messageNumber } from './message-ids.ts';
import {
  CAMPAIGN_TAG,
  type Call,
  type Identity,
  type NewEvent,
  type PendingEvent,
  type PlannedEvent,
  recipientsOf,
} from './records.ts';
import type { Content } from './render.ts';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS identity (name TEXT PRIMARY KEY, verified INTEGER, mail_from TEXT);
  CREATE TABLE IF NOT EXISTS identity_detail (name TEXT PRIMARY KEY, body TEXT);
  CREATE TABLE IF NOT EXISTS suppressed (address TEXT PRIMARY KEY, reason TEXT, at INTEGER);
  CREATE TABLE IF NOT EXISTS content (id INTEGER PRIMARY KEY, hash TEXT UNIQUE, body TEXT);
  CREATE TABLE IF NOT EXISTS call (
    id INTEGER PRIMARY KEY, uuid TEXT UNIQUE, accepted_at INTEGER, quota INTEGER, content_id INTEGER, body TEXT);
  CREATE TABLE IF NOT EXISTS recipient (address TEXT, message INTEGER, PRIMARY KEY (address, message)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS campaign (tag TEXT, call INTEGER, PRIMARY KEY (tag, call)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS event (
    id INTEGER PRIMARY KEY AUTOINCREMENT, message INTEGER, kind TEXT, at INTEGER, detail TEXT);`;

const CACHED_CALLS = 64;

/** The database of the local SES. */
export type Store = ReturnType<typeof openStore>;

/** Opens or creates the database; stored data survives a SIGKILL as soon as the function returns. */
export function openStore(file: string) {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA cache_size = -16000;');
  db.exec(SCHEMA);

  const sql = {
    findContent: db.prepare('SELECT id FROM content WHERE hash = ?'),
    addContent: db.prepare('INSERT INTO content (hash, body) VALUES (?, ?)'),
    getContent: db.prepare('SELECT body FROM content WHERE id = ?'),
    addCall: db.prepare('INSERT INTO call (uuid, accepted_at, quota, content_id, body) VALUES (?, ?, ?, ?, ?)'),
    addRecipient: db.prepare('INSERT OR IGNORE INTO recipient (address, message) VALUES (?, ?)'),
    addCampaign: db.prepare('INSERT OR IGNORE INTO campaign (tag, call) VALUES (?, ?)'),
    addEvent: db.prepare('INSERT INTO event (message, kind, at, detail) VALUES (?, ?, ?, ?)'),
    getCall: db.prepare('SELECT id, uuid, accepted_at, content_id, body FROM call WHERE id = ?'),
    findCall: db.prepare('SELECT id FROM call WHERE uuid = ?'),
    allCalls: db.prepare('SELECT id FROM call ORDER BY id'),
    callsOfCampaign: db.prepare('SELECT call AS id FROM campaign WHERE tag = ? ORDER BY call'),
    messagesTo: db.prepare('SELECT message AS id FROM recipient WHERE address = ? ORDER BY message'),
    nextEvents: db.prepare('SELECT id, message, kind, at, detail FROM event ORDER BY id LIMIT ?'),
    dropEvent: db.prepare('DELETE FROM event WHERE id = ?'),
    countEvents: db.prepare('SELECT count(*) AS n FROM event'),
    sentByMinute: db.prepare(
      `SELECT accepted_at / 60000 AS minute, sum(quota) AS recipients FROM call WHERE accepted_at > ?
       GROUP BY 1 ORDER BY 1`,
    ),
    identities: db.prepare(
      'SELECT name, verified, mail_from, body FROM identity LEFT JOIN identity_detail USING (name) ORDER BY name',
    ),
    putIdentity: db.prepare('INSERT OR REPLACE INTO identity (name, verified, mail_from) VALUES (?, ?, ?)'),
    putDetail: db.prepare('INSERT OR REPLACE INTO identity_detail (name, body) VALUES (?, ?)'),
    dropIdentity: db.prepare('DELETE FROM identity WHERE name = ?'),
    suppressed: db.prepare('SELECT address, reason, at FROM suppressed'),
    putSuppressed: db.prepare('INSERT OR REPLACE INTO suppressed (address, reason, at) VALUES (?, ?, ?)'),
    dropSuppressed: db.prepare('DELETE FROM suppressed WHERE address = ?'),
    dropDetail: db.prepare('DELETE FROM identity_detail WHERE name = ?'),
  };
  const ids = (rows: unknown[]) => (rows as Array<{ id: number }>).map(({ id }) => id);
  const recent = new Map<number, Call>();

  function transaction<T>(work: () => T): T {
    db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      db.exec('COMMIT');
      return result;
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  }

  function cache(call: Call): Call {
    recent.set(call.id, call);
    if (recent.size > CACHED_CALLS) recent.delete(recent.keys().next().value!);
    return call;
  }

  function addEvents(events: readonly NewEvent[]): void {
    for (const { message, kind, at, detail } of events) {
      sql.addEvent.run(message, kind, at, detail && JSON.stringify(detail));
    }
  }

  return {
    contentKey,
    /** The id of this content; equal content is stored once. */
    contentId(content: Content): number {
      const key = contentKey(content);
      const found = sql.findContent.get(key) as { id: number } | undefined;
      return found?.id ?? Number(sql.addContent.run(key, JSON.stringify(content)).lastInsertRowid);
    },

    content(id: number): Content {
      return JSON.parse((sql.getContent.get(id) as { body: string }).body);
    },

    /** Stores a call, its messages and their events in one transaction. */
    accept(draft: Omit<Call, 'id'>, quota: number, events: readonly PlannedEvent[]): Call {
      const { uuid, acceptedAt, contentId, ...body } = draft;
      return transaction(() => {
        const added = sql.addCall.run(uuid, acceptedAt, quota, contentId, JSON.stringify(body));
        const call: Call = { ...draft, id: Number(added.lastInsertRowid) };
        let campaign: string | undefined;
        for (const [index, entry] of call.entries.entries()) {
          const message = messageNumber(call.id, index);
          for (const address of recipientsOf(entry)) sql.addRecipient.run(address, message);
          if (entry.tags[CAMPAIGN_TAG] === campaign) continue;
          campaign = entry.tags[CAMPAIGN_TAG];
          if (campaign !== undefined) sql.addCampaign.run(campaign, call.id);
        }
        addEvents(events.map(({ index, ...event }) => ({ ...event, message: messageNumber(call.id, index) })));
        return cache(call);
      });
    },

    call(id: number): Call | undefined {
      const known = recent.get(id);
      if (known) return known;
      const row = sql.getCall.get(id) as Record<string, string | number> | undefined;
      if (!row) return undefined;
      const { uuid, accepted_at: acceptedAt, content_id: contentId, body } = row;
      return cache({ ...JSON.parse(body as string), id, uuid, acceptedAt, contentId });
    },

    findCall: (uuid: string) => ids(sql.findCall.all(uuid))[0],
    allCalls: () => ids(sql.allCalls.all()),
    callsOfCampaign: (tag: string) => ids(sql.callsOfCampaign.all(tag)),
    /** Ids of the messages to this lower-case address. */
    messagesTo: (address: string) => ids(sql.messagesTo.all(address)),

    addEvents: (events: readonly NewEvent[]) => transaction(() => addEvents(events)),
    /** The oldest unpublished events. */
    nextEvents: (limit: number): PendingEvent[] =>
      (sql.nextEvents.all(limit) as Array<Record<string, unknown>>).map(
        (row) => ({ ...row, detail: row.detail ? JSON.parse(row.detail as string) : null }) as PendingEvent,
      ),
    /** Marks events as published. */
    dropEvents: (events: readonly number[]) => transaction(() => events.forEach((id) => void sql.dropEvent.run(id))),
    countEvents: () => (sql.countEvents.get() as { n: number }).n,

    /** Recipients that count against the daily quota, by minute since the epoch, after a time. */
    sentByMinute: (since: number) =>
      sql.sentByMinute.all(since) as unknown as Array<{ minute: number; recipients: number }>,

    /** The identities; one of an earlier version has no more than the three fields. */
    identities: (): (Pick<Identity, 'name' | 'verified' | 'mailFrom'> & Partial<Identity>)[] =>
      (sql.identities.all() as Array<Record<string, string | number | null>>).map((row) => ({
        name: row.name as string,
        verified: row.verified === 1,
        mailFrom: row.mail_from as string | null,
        ...JSON.parse((row.body as string | null) ?? '{}'),
      })),
    putIdentity: ({ name, verified, mailFrom, ...detail }: Identity) =>
      transaction(() => {
        sql.putIdentity.run(name, verified ? 1 : 0, mailFrom);
        sql.putDetail.run(name, JSON.stringify(detail));
      }),
    dropIdentity: (name: string) =>
      transaction(() => {
        sql.dropIdentity.run(name);
        sql.dropDetail.run(name);
      }),

    suppressed: () => sql.suppressed.all() as unknown as { address: string; reason: string; at: number }[],
    putSuppressed: ({ address, reason, at }: { address: string; reason: string; at: number }) =>
      void sql.putSuppressed.run(address, reason, at),
    dropSuppressed: (address: string) => void sql.dropSuppressed.run(address),

    close: () => db.close(),
  };
}

/** Equal content has the same key. */
function contentKey({ literal, subject, text, html }: Content): string {
  return hash('sha256', `${literal}\0${subject}\0${text}\0${html}`);
}
