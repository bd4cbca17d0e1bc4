import { afterAll, beforeAll, expect } from 'vitest';
import type { SegmentDefinition } from '../../../shared/domain/contacts/segments.ts';
import { ended, everyRow, idle, type Message, messagesOf, readyCampaign } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { control, newTeam, type Team } from '../../support/team.ts';

/** A contact as the API's other answers show it. */
interface Known {
  email: string;
  first_name: string | null;
  last_name: string | null;
  metadata: Record<string, unknown>;
  status: string;
  created_at: string;
  tags: { id: number }[];
  lists: { id: number }[];
  sent: string[];
  opened: string[];
  clicked: string[];
}

export const day = 86_400;
const names = ['Anna', 'MÜLLER', 'müller', 'Mu\u0308ller', 'Ørsted', 'Zoë', 'strauß'];
const companies = ['Acme GmbH', 'ACME Ltd', 'Bücher & Co', 7];
const cities = ['Köln', 'KÖLN-Porz', 'Paris', 'New York'];
/** Recipients that fill the pages of the first campaign. */
const crowd = Array.from({ length: 1_000 }, (_, index) => ({ email: `m${(index * 7919) % 1_000}@crowd.example` }));

export let stack: Stack;
export let team: Team;
export let tags: number[];
export let firstList: number;
export let firstCampaign: number;
export let people: Known[];
export let now: number;

export const data: Team['data'] = (...request) => team.data(...request);
const advance = (seconds: number) => control('POST', '/clock', { advance_seconds: seconds }, stack.origin);
const person = (index: number) => `${'amz'[index % 3]}${index}@people.example`;

async function createPeople(from: number, to: number): Promise<void> {
  const contacts = Array.from({ length: to - from }, (_, at) => {
    const index = from + at;
    return {
      email: person(index),
      first_name: names[index % names.length],
      last_name: names[(index * 3) % 5],
      metadata: {
        ...(index % 4 && { company: companies[index % companies.length] }),
        ...(index % 3 && { [['city', 'country', 'location'][index % 3]!]: cities[index % cities.length] }),
      },
      status_if_new: index % 11 ? 'active' : 'pending',
      tag_ids: tags.slice(0, 3).filter((_tag, place) => index % (place + 2) === 0),
    };
  });
  await data('POST', '/contacts/bulk', { contacts });
}

/** Sends a campaign to some contacts; some of them open or click. */
async function sendTo(emails: readonly { email: string }[], reads: (index: number) => boolean): Promise<number> {
  const { campaign, list } = await readyCampaign(team, emails);
  firstList ??= list;
  await data('POST', `/campaigns/${campaign}/send`);
  expect((await ended(stack.origin, team, campaign)).status).toBe('sent');
  await advance(60);
  const messages = await messagesOf(team, campaign, stack.origin);
  const visit = (url: string) => fetch(url, { headers: { 'user-agent': 'Mozilla/5.0' }, redirect: 'manual' });
  for (let index = 0; index < 200; index++) {
    const message: Message | undefined = messages.get(person(index));
    if (!message || !reads(index)) continue;
    await visit(/<img alt="" src="(http[^"]+)"/.exec(message.html)![1]!);
    if (index % 2) await visit(/<a href="(http[^"]+)">news</.exec(message.html)![1]!);
  }
  await idle(stack.origin);
  return campaign;
}

const group = (passes: (index: number) => boolean, count: number) =>
  Array.from({ length: count }, (_, index) => index)
    .filter(passes)
    .map((index) => ({ email: person(index) }));

beforeAll(async () => {
  stack = await startStack();
  team = await newTeam({ origin: stack.origin });
  tags = [];
  for (const name of ['One', 'Two', 'Three', 'Ends']) tags.push((await data('POST', '/tags', { name })).id);
  await createPeople(0, 90);
  for (const email of ['m0@crowd.example', 'm999@crowd.example'])
    await data('POST', '/contacts', { email, tag_ids: [tags[3]] });
  firstCampaign = await sendTo([...crowd, ...group((index) => index % 2 === 0, 90)], (index) => index % 3 === 0);
  await advance(40 * day + day / 2);
  await createPeople(90, 140);
  const second = await sendTo(
    group((index) => index % 5 < 2, 140),
    (index) => index % 4 < 2,
  );
  for (const index of [3, 4, 5, 6]) await data('PATCH', `/contacts/${person(index)}`, { status: 'unsubscribed' });
  for (const index of [10, 11]) await data('DELETE', `/contacts/${person(index)}`);
  await advance(10 * day + day / 2);

  const engaged = await Promise.all(
    [firstCampaign, second].map((campaign) => everyRow(team, `/campaigns/${campaign}/recipients`)),
  );
  const times = (email: string, field: string) =>
    engaged.flat().flatMap((row) => (row.email === email && row[field] ? [row[field]] : []));
  const listed = await everyRow(team, '/contacts?include=tags,lists');
  people = listed.map((contact) => ({
    ...contact,
    sent: times(contact.email, 'sent_at'),
    opened: times(contact.email, 'opened_at'),
    clicked: times(contact.email, 'clicked_at'),
  }));
  now = Date.parse((await data('POST', '/tags', { name: 'Now' })).created_at);
}, 180_000);
afterAll(() => stack?.stop());

/** An independent implementation of the filters. */
function belongs(
  contact: Known,
  { tag_ids, date_from, date_to, search, company, location, engagement }: SegmentDefinition,
) {
  const has = (part: string, ...values: unknown[]) =>
    values.some(
      (value) => typeof value === 'string' && value.normalize().toLowerCase().includes(part.normalize().toLowerCase()),
    );
  const created = contact.created_at.slice(0, 10);
  if (contact.status !== 'active') return false;
  if (tag_ids?.length && !contact.tags.some(({ id }) => tag_ids.includes(id))) return false;
  if (date_from && created < date_from) return false;
  if (date_to && created > date_to) return false;
  if (search && !has(search, contact.email, contact.first_name, contact.last_name)) return false;
  if (company && !has(company, contact.metadata.company)) return false;
  const { city, country, location: place } = contact.metadata;
  if (location && !has(location, city, country, place)) return false;
  if (!engagement) return true;
  const recently = (times: string[]) => times.some((time) => Date.parse(time) >= now - engagement.days * day * 1000);
  const [opened, clicked] = [recently(contact.opened), recently(contact.clicked)];
  const answer = {
    opened,
    clicked,
    not_opened: !opened,
    not_clicked: !clicked,
    inactive: !opened && !clicked,
    received: recently(contact.sent),
  };
  return answer[engagement.type];
}
export const expected = (definition: SegmentDefinition) =>
  people.filter((contact) => belongs(contact, definition)).map(({ email }) => email);
export const preview = (definition: SegmentDefinition) => data('POST', '/segments/preview', { definition });
export const emails = (rows: { email: string }[]) => rows.map(({ email }) => email);
