import { expect } from 'vitest';
import { everyRow, idle, type Message } from './campaign.ts';
import { control, type Team } from './team.ts';

/** A body with the link that every step needs. */
export const stepHtml = (text: string): string =>
  `<p>${text} {{first_name | default: "there"}}</p><p><a href="{{unsubscribe_url}}">Unsubscribe</a></p>`;

/** The input of a step; its subject identifies it in a test. */
export const newStep = (subject: string, delay_value = 0, delay_unit = 'days') => ({
  subject,
  html_content: stepHtml(subject),
  delay_value,
  delay_unit,
});

// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
async function ok(answer: ReturnType<Team['api']>): Promise<any> {
  const { status, body } = await answer;
  expect([status, body.message]).toEqual([200, undefined]);
  return body.data;
}

/** Creates a sequence with steps, active by default; returns its id. */
export async function newSequence(
  team: Team,
  steps: readonly object[],
  fields: Record<string, unknown> = {},
): Promise<number> {
  const { status = 'active', ...input } = fields;
  const body = { name: 'Sequence', from_email: `hello@${team.domain}`, ...input };
  const { id } = await ok(team.api('POST', '/sequences', body));
  await ok(team.api('PUT', `/sequences/${id}/steps`, { steps }));
  if (status !== 'draft') await ok(team.api('PATCH', `/sequences/${id}`, { status }));
  return id;
}

/** Creates contacts; returns their ids in order. */
export async function newContacts(team: Team, emails: readonly string[], fields: object = {}): Promise<number[]> {
  const ids = [];
  for (const email of emails) ids.push((await ok(team.api('POST', '/contacts', { email, ...fields }))).id);
  return ids;
}

/** Enrols addresses; returns the answer's data. */
export const enrol = (team: Team, sequence: number, emails: readonly string[]) =>
  ok(team.api('POST', `/sequences/${sequence}/subscribers`, { emails }));

/** The subscribers of a sequence, by address. */
export async function subscribersOf(team: Team, sequence: number) {
  const rows = await everyRow(team, `/sequences/${sequence}/subscribers`);
  return new Map(rows.map((row) => [row.email, row]));
}

/** The accepted messages of a team's sequence, oldest first. */
export async function stepsSent(team: Team, sequence: number, origin: string): Promise<Message[]> {
  const { body } = await control('GET', '/messages', undefined, origin);
  const own = (body.data as (Message & { accepted_at: string })[]).filter(
    ({ tags }) => tags.team === String(team.id) && tags.sequence === String(sequence),
  );
  return own.sort((a, b) => (a.accepted_at < b.accepted_at ? -1 : 1));
}

/** Advances a stack's clock, and waits until the due work is done. */
export async function pass(origin: string, seconds: number): Promise<void> {
  await control('POST', '/clock', { advance_seconds: seconds }, origin);
  await idle(origin);
}
