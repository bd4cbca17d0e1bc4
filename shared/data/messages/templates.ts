import { type StarterTemplate, starterTemplates } from '../../domain/messages/starter-templates.ts';
import { timestamp } from '../../domain/time.ts';
import { takeIds } from '../counters.ts';
import { type Key, keys, padId, partitions } from '../keys.ts';
import type { Positioned, Source } from '../paging.ts';
import { idSource } from '../sources.ts';
import * as table from '../table.ts';

/** A team's template; its HTML is a separate row (keys.templateBody), which listings do not read. */
export interface TemplateItem extends Key {
  id: number;
  name: string;
  category?: string;
  style?: string;
  description?: string;
  created_at: string;
  updated_at: string;
}

/** The fields of a template that a client may write; `null` and an empty text clear. */
export interface TemplateInput {
  name: string;
  category?: string | null;
  style?: string | null;
  description?: string | null;
  html_content?: string | null;
}

/** A team's template or a system template. */
export type Template = TemplateItem | StarterTemplate;

/** Every choice of templates that a listing shows. */
export const templateScopes = ['all', 'system', 'team'] as const;

/** The templates that a listing shows. */
export type TemplateScope = (typeof templateScopes)[number];

/** Ids up to this one belong to system templates. */
const lastSystemId = 1_000;

/** Reserves the next template id. */
export async function reserveId(teamId: number): Promise<number> {
  return lastSystemId + (await takeIds(teamId, 'template'));
}

/** Whether a template is a system template. */
export const isSystem = (template: Template): template is StarterTemplate => template.id <= lastSystemId;

/** Reads a team's or a system template; undefined when the team has none with this id. */
export async function find(teamId: number, id: number): Promise<Template | undefined> {
  if (id <= lastSystemId) return starterTemplates.find((template) => template.id === id);
  return table.get<TemplateItem>(keys.template(teamId, id));
}

/** Reads the HTML of a team's template; null when it has none. */
export async function body(teamId: number, id: number): Promise<string | null> {
  const item = await table.get<{ html_content: string }>(keys.templateBody(teamId, id));
  return item?.html_content ?? null;
}

/** Templates by id, newest first; the system's come last. */
export function list(teamId: number, scope: TemplateScope): Source<Template> {
  const own = idSource<TemplateItem>(partitions.templates(teamId));
  return async function* (direction, from, batch) {
    const parts: Source<Template>[] = [...(scope === 'system' ? [] : [own]), ...(scope === 'team' ? [] : [starters])];
    if (direction === 'backward') parts.reverse();
    for (const part of parts) yield* part(direction, from, batch);
  };
}

async function* starters(
  ...[direction, from]: Parameters<Source<Template>>
): AsyncGenerator<Positioned<StarterTemplate>> {
  const rows = starterTemplates.map((item) => ({ position: padId(item.id), item }));
  if (direction === 'forward') rows.reverse();
  for (const row of rows)
    if (from === undefined || (direction === 'forward' ? row.position < from : row.position > from)) yield row;
}

/** Stores a new template under a reserved id; a repetition with the same id changes nothing. */
export async function create(teamId: number, id: number, input: TemplateInput): Promise<TemplateItem> {
  const at = timestamp();
  const blank = { ...keys.template(teamId, id), id, name: input.name, created_at: at, updated_at: at };
  const item = changed(blank, input);
  const created = await table.transactIf([
    { Put: { Item: item, ConditionExpression: 'attribute_not_exists(pk)' } },
    ...bodyWrites(teamId, id, input.html_content),
  ]);
  if (created) return item;
  return (await table.get<TemplateItem>(keys.template(teamId, id))) ?? item;
}

/** Writes the given fields of a template and its HTML in one transaction; undefined when it was deleted. */
export async function update(
  teamId: number,
  before: TemplateItem,
  input: TemplateInput,
): Promise<TemplateItem | undefined> {
  const after = { ...changed(before, input), updated_at: timestamp() };
  const written = await table.transactIf([
    { Update: table.editOf({ ...before, updated_at: undefined }, after, 'attribute_exists(pk)') },
    ...bodyWrites(teamId, before.id, input.html_content),
  ]);
  return written ? table.get<TemplateItem>(keys.template(teamId, before.id)) : undefined;
}

/** Deletes a template with its HTML. */
export async function remove(teamId: number, id: number): Promise<void> {
  await table.transact([
    { Delete: { Key: keys.template(teamId, id) } },
    { Delete: { Key: keys.templateBody(teamId, id) } },
  ]);
}

function changed(before: TemplateItem, { html_content: _body, ...input }: TemplateInput): TemplateItem {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  return { ...before, ...Object.fromEntries(given.map(([name, value]) => [name, value || undefined])) };
}

function bodyWrites(teamId: number, id: number, html: string | null | undefined): table.TransactionWrite[] {
  if (html === undefined) return [];
  const key = keys.templateBody(teamId, id);
  return [html ? { Put: { Item: { ...key, html_content: html } } } : { Delete: { Key: key } }];
}

/** The template as listings show it. */
export function view(template: Template) {
  return {
    id: template.id,
    name: template.name,
    category: template.category ?? null,
    style: template.style ?? null,
    description: template.description ?? null,
    is_system: isSystem(template),
  };
}
