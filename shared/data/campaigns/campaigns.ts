import type { Actor } from '../../domain/actor.ts';
import type { Variant } from '../../domain/campaigns/ab-test.ts';
import type { AudienceSource, WinnerMetric } from '../../domain/campaigns/options.ts';
import type { Outcome } from '../../domain/campaigns/reputation.ts';
import { type CampaignStatus, type Move, moves } from '../../domain/campaigns/status.ts';
import type { SegmentDefinition } from '../../domain/contacts/segments.ts';
import { timestamp } from '../../domain/time.ts';
import { takeIds } from '../counters.ts';
import * as due from '../due-jobs.ts';
import { type Key, keys, partitions } from '../keys.ts';
import { numbered } from '../sources.ts';
import * as table from '../table.ts';
import { auditWrite } from '../teams/audit-log.ts';

/** The fields of a campaign that a team sets. */
export interface CampaignFields {
  name: string;
  subject: string | null;
  preheader: string | null;
  from_name: string | null;
  from_email: string | null;
  reply_to: string | null;
  audience_source: AudienceSource;
  contact_list_id: number | null;
  audience_filters: SegmentDefinition | null;
  template_id: number | null;
  ab_test_enabled: boolean;
  ab_test_percentage: number | null;
  ab_winner_metric: WinnerMetric | null;
  ab_test_delay_minutes: number | null;
}

/** Emails of a month's allowance that a campaign holds in reserve. */
export interface Reservation {
  emails: number;
  month: string;
}

/** The progress of a campaign's A/B test; begins with the snapshot. */
export interface TestProgress {
  /** Who is mailed now: the test slice, nobody until `decide_at`, or the rest. */
  phase: 'test' | 'waiting' | 'rest';
  /** Recipients in the slice. */
  size: number;
  decide_at?: string;
}

/** A campaign as stored; its body, recipients and counters are items of their own. */
export interface CampaignItem extends CampaignFields, Key {
  id: number;
  status: CampaignStatus;
  /** The A/B test's variants; ids count from 1 in this order. */
  variants?: Variant[];
  winner_variant_id: number | null;
  /** Set by the snapshot of a campaign with an A/B test. */
  test?: TestProgress;
  /** 0 before the snapshot. */
  total_recipients: number;
  failure_reason: string | null;
  /** Absent when a user paused it. A job resumes what the quota paused. */
  paused_by?: 'quota' | 'reputation';
  /** The counters when it was resumed after a pause for reputation; they do not pause it again. */
  watched_from?: Outcome;
  scheduled_at: string | null;
  sent_at: string | null;
  created_at: string;
  updated_at: string;
  /** Operation markers of the last requests that moved it, so that a repeated request finds its own move. */
  operations?: string[];
  /** Its reservation, from the snapshot on. */
  charge?: Reservation;
  /** The number of the workflow execution in charge, and when it began. */
  run?: number;
  run_started_at?: string;
  /** The cursor of the last screening: the last address read, recipients so far. */
  screened?: { after: string; recipients: number };
  /** The snapshot's cursor: the last address read, pages and recipients so far. */
  freeze?: { after: string; pages: number; recipients: number };
  frozen_at?: string;
  /** The sweep's cursor: the last page's key, recipients queued and accounted for; absent when it is over. */
  sweep?: { after: string; queued: number; base: number };
  sweeps?: number;
  /** When the last page that a sweep queued is to be sent. */
  queued_until?: string;
  /** The same of the sweep before those in vain: since then its pages are due. */
  due_since?: string;
  /** How many recipients had a final status, and when that number last changed. */
  progress?: { accounted: number; at: string };
  /** When its last send ended: until then messages were accepted. */
  ended_at?: string;
  /** When its unknown recipients were last sent again: those that are unknown since before. */
  resent_at?: string;
  /** How often the links to its report were revoked. */
  reports_revoked?: number;
  /** The final counters, so that listings need no second read. */
  final?: { sent: number; failed: number };
}

/** A campaign's body as stored. */
export interface ContentItem {
  html_content: string | null;
  plain_content: string | null;
  /** The template that this body is an unchanged copy of. */
  copied_from?: number;
}

/** Creates a draft under a reserved id, with a body when one is given; idempotent. */
export async function create(
  teamId: number,
  id: number,
  fields: CampaignFields,
  body?: ContentItem,
): Promise<CampaignItem> {
  const at = timestamp();
  const item: CampaignItem = {
    ...keys.campaign(teamId, id),
    id,
    ...fields,
    status: 'draft',
    winner_variant_id: null,
    total_recipients: 0,
    failure_reason: null,
    scheduled_at: null,
    sent_at: null,
    created_at: at,
    updated_at: at,
  };
  const created = body
    ? await table.transactIf([
        { Put: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' } },
        { Put: { Item: { ...keys.content(teamId, id), ...body } } },
      ])
    : await table.putNew(item);
  if (created) return item;
  return (await find(teamId, id)) ?? item;
}

/** Reserves the next campaign id. */
export function reserveId(teamId: number): Promise<number> {
  return takeIds(teamId, 'campaign');
}

/** The reads of campaigns. */
export const { find, list } = numbered<CampaignItem>(partitions.campaigns, keys.campaign);

/** Changes attributes of a campaign in one of the states whose `seen` attributes are unchanged; undefined otherwise. */
export function change(
  teamId: number,
  id: number,
  states: readonly CampaignStatus[],
  attributes: Partial<CampaignItem>,
  seen: Partial<CampaignItem> = {},
): Promise<CampaignItem | undefined> {
  return table.updateIf<CampaignItem>(conditional(teamId, id, states, attributes, seen));
}

/** The update of a campaign, conditional on its state and time of change being as they were read. */
export const editOf = (teamId: number, read: CampaignItem, attributes: Partial<CampaignItem>) =>
  conditional(teamId, read.id, [read.status], attributes, { updated_at: read.updated_at });

/** Changes a campaign's attributes; undefined when it changed since it was read. */
export function edit(
  teamId: number,
  read: CampaignItem,
  attributes: Partial<CampaignItem>,
): Promise<CampaignItem | undefined> {
  return table.updateIf<CampaignItem>(editOf(teamId, read, attributes));
}

/** Makes a move, with other writes or none; undefined when the state forbids it or `seen` attributes changed. */
export async function move(
  teamId: number,
  id: number,
  cause: Move,
  attributes: Partial<CampaignItem> = {},
  seen: Partial<CampaignItem> = {},
  others: readonly table.TransactionWrite[] = [],
): Promise<CampaignItem | undefined> {
  const update = moving(teamId, id, cause, attributes, seen);
  if (others.length === 0) return table.updateIf<CampaignItem>(update);
  return (await table.transactIf([{ Update: update }, ...others])) ? find(teamId, id) : undefined;
}

/** Counts one more revocation of the links to a campaign's report, once per operation. */
export function revokeReports(teamId: number, id: number, by: Actor): Promise<boolean> {
  const revocation = {
    Key: keys.campaign(teamId, id),
    UpdateExpression: 'ADD reports_revoked :one',
    ConditionExpression: 'attribute_exists(pk)',
    ExpressionAttributeValues: { ':one': 1 },
  };
  return table.transactIf([{ Update: revocation }, auditWrite(teamId, by, 'campaign.report_revoked', id)]);
}

const operationsKept = 10;

/** Whether a request has already made its move of the campaign. */
export const movedBy = (campaign: CampaignItem | undefined, operationId: string): boolean =>
  campaign?.operations?.includes(operationId) ?? false;

/** The operation markers with that of a request added. */
export const operationMarker = (campaign: CampaignItem, operationId: string): Pick<CampaignItem, 'operations'> => ({
  operations: [...(campaign.operations ?? []), operationId].slice(-operationsKept),
});

/** The update that makes a move, conditional on the state, for a transaction. */
export function moving(
  teamId: number,
  id: number,
  cause: Move,
  attributes: Partial<CampaignItem> = {},
  seen: Partial<CampaignItem> = {},
) {
  const { from, to } = moves[cause];
  return conditional(teamId, id, from, { ...attributes, status: to }, seen);
}

/** States in which neither a snapshot nor a sweep goes on from its cursor: a campaign that resumes sweeps anew. */
const cursorless: readonly CampaignStatus[] = ['paused', 'cancelled', 'sent', 'partial', 'failed'];

/** The cursors that a move ends. A cursor is an address, which an erasure does not look for here. */
const endedCursors = (to: CampaignStatus | undefined): Partial<CampaignItem> => ({
  ...(to && { screened: undefined }),
  ...(to && cursorless.includes(to) && { sweep: undefined, freeze: undefined }),
});

/** An update conditional on the state and on unchanged `seen` attributes, alone or in a transaction. */
export function conditional(
  teamId: number,
  id: number,
  states: readonly CampaignStatus[],
  changed: Partial<CampaignItem>,
  seen: Partial<CampaignItem> = {},
) {
  const attributes = { ...endedCursors(changed.status), ...changed };
  const removed = Object.keys(attributes).filter((name) => attributes[name as keyof CampaignItem] === undefined);
  const before = Object.fromEntries(removed.map((name) => [name, null]));
  const values: table.Item = {};
  const conditions = ['attribute_exists(pk)', `#status IN (${states.map((_, index) => `:state${index}`).join(', ')})`];
  for (const [index, state] of states.entries()) values[`:state${index}`] = state;
  for (const [name, value] of Object.entries(seen)) {
    conditions.push(value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :seen_${name}`);
    if (value !== undefined) values[`:seen_${name}`] = value;
  }
  const after = { ...attributes, updated_at: timestamp() };
  return { Key: keys.campaign(teamId, id), ...table.changes(before, after, conditions.join(' AND '), values) };
}

/** Gives a campaign a new run: the change, the run's job and `others` are one write; false when refused. */
export async function handOver(
  teamId: number,
  id: number,
  how: { cause: Move } | { states: readonly CampaignStatus[] },
  attributes: Partial<CampaignItem> & { run: number },
  seen: Partial<CampaignItem> = {},
  others: readonly table.TransactionWrite[] = [],
): Promise<boolean> {
  const begun = { ...attributes, run_started_at: timestamp() };
  const update =
    'cause' in how ? moving(teamId, id, how.cause, begun, seen) : conditional(teamId, id, how.states, begun, seen);
  return table.transactIf([
    { Update: update },
    { Put: { Item: due.dueJob({ kind: 'campaign', team_id: teamId, campaign_id: id }) } },
    ...others,
  ]);
}
