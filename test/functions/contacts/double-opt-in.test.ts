import { beforeAll, describe, expect, inject, it } from 'vitest';
import * as directOutcomes from '../../../shared/data/messages/direct-outcomes.ts';
import { idle } from '../../support/campaign.ts';
import { useSharedTable } from '../../support/data.ts';
import { rawTable } from '../../support/table.ts';
import { type Answer, call, control, newTeam, type Team } from '../../support/team.ts';

interface Message {
  from: string;
  to: string;
  subject: string;
  html: string;
  text: string;
}

useSharedTable();

let team: Team;
let double: number;
let people = 0;

beforeAll(async () => {
  team = await newTeam();
  double = await listOf(team, 'double');
});

async function listOf(owner: Team, opt_in_mode: 'single' | 'double'): Promise<number> {
  const { body } = await owner.api('POST', '/lists', { name: 'News', opt_in_mode });
  return body.data.id;
}

/** A new address, on the double opt-in list by default. */
async function signUp(input: object = { list_ids: [double] }): Promise<{ id: number; email: string; status: string }> {
  const { body } = await team.api('POST', '/contacts', { email: `p${++people}-${team.id}@example.com`, ...input });
  return body.data;
}

async function messagesTo(email: string, of: { id: number } = team): Promise<Message[]> {
  await idle(inject('origin'), of);
  return (await control('GET', `/messages?to=${encodeURIComponent(email)}`)).body.data;
}

async function linkTo(email: string): Promise<string> {
  const [message] = await messagesTo(email);
  const [link] = message!.text.match(/http\S+\/confirm\/\S+/)!;
  return link;
}

const statusOf = async (email: string): Promise<string> =>
  (await team.api('GET', `/contacts/${email}`)).body.data.status;
const press = (link: string): Promise<Answer> => call(link, 'POST', '');

describe('a new contact on a double opt-in list', () => {
  it('is pending and is sent one message, in the name of the team, from its verified domain, untracked', async () => {
    const { email, status } = await signUp();
    expect(status).toBe('pending');
    const messages = await messagesTo(email);
    expect(messages).toHaveLength(1);
    const [message] = messages;
    expect(message!.from).toBe(`Test <no-reply@${team.domain}>`);
    expect(message!.subject).toBe('Please confirm your subscription to "Test"');
    expect(message!.text).toContain(`${inject('origin')}/confirm/`);
    expect(message!.html).toContain(`${inject('origin')}/confirm/`);
    expect(message!.html).not.toContain('/_local/ses/');
  });

  it('becomes active by the button on the page, not by opening the link', async () => {
    const { email } = await signUp();
    const link = await linkTo(email);
    const shown = await call(link);
    expect([shown.status, shown.body]).toEqual([200, expect.stringContaining('Confirm your subscription?')]);
    expect(await statusOf(email)).toBe('pending');
    const pressed = await press(link);
    expect([pressed.status, pressed.body]).toEqual([200, expect.stringContaining('Your subscription is confirmed')]);
    const { body } = await team.api('GET', `/contacts/${email}`);
    expect(body.data).toMatchObject({
      status: 'active',
      confirmed_at: expect.any(String),
      subscribed_at: body.data.confirmed_at,
    });
    expect((await call(link)).body).toContain('confirmed already');
    await press(link);
    expect((await team.api('GET', `/contacts/${email}`)).body.data).toEqual(body.data);
  });

  it('is asked to confirm however it joins the list: bulk, attach, PATCH', async () => {
    const { body: bulk } = await team.api('POST', '/contacts/bulk', {
      contacts: [{ email: `bulk-a-${team.id}@example.com` }, { email: `bulk-b-${team.id}@example.com` }],
      list_ids: [double],
    });
    const attached = await signUp({ status_if_new: 'pending' });
    expect(await messagesTo(attached.email)).toHaveLength(0);
    await team.api('POST', `/lists/${double}/contacts`, { contact_ids: [attached.id] });
    const patched = await signUp({ status_if_new: 'pending' });
    await team.api('PATCH', `/contacts/${patched.id}`, { list_ids: [double] });
    for (const { email } of [...bulk.data, attached, patched]) {
      expect(await messagesTo(email), email).toHaveLength(1);
      expect(await statusOf(email)).toBe('pending');
    }
  });

  it('is not asked to confirm when it is active', async () => {
    const { email } = await signUp({});
    await team.api('POST', '/contacts', { email, list_ids: [double] });
    expect(await messagesTo(email)).toHaveLength(0);
    expect(await statusOf(email)).toBe('active');
  });
});

describe('a confirmation message', () => {
  it('is not sent by a team without a verified domain; the contact stays pending', async () => {
    const { body } = await control('POST', '/teams', { name: 'No domain', plan: 'business', domains: [] });
    const headers = { authorization: `Bearer ${body.api_key}` };
    const api = (path: string, content: unknown) => call(`${inject('origin')}/v1${path}`, 'POST', content, headers);
    const list = (await api('/lists', { name: 'News', opt_in_mode: 'double' })).body.data.id;
    const email = `nobody-${body.team_id}@example.com`;
    const upserted = await api('/contacts', { email, list_ids: [list] });
    expect([upserted.status, upserted.body.data.status]).toEqual([200, 'pending']);
    expect(await messagesTo(email, { id: body.team_id })).toHaveLength(0);
  });

  it('is never sent to a suppressed address', async () => {
    const email = `suppressed-${team.id}@example.com`;
    await team.api('POST', '/suppressions', { email, reason: 'manual' });
    const { body } = await team.api('POST', '/contacts', { email, list_ids: [double] });
    expect(body.data.status).toBe('pending');
    expect(await messagesTo(email)).toHaveLength(0);
    const gone = `gone-${team.id}@example.com`;
    await team.api('POST', '/suppressions', { email: gone, reason: 'unsubscribe' });
    expect((await team.api('POST', '/contacts', { email: gone, list_ids: [double] })).body.data.status).toBe(
      'unsubscribed',
    );
    expect(await messagesTo(gone)).toHaveLength(0);
  });
});

describe('the confirmation messages of one address', () => {
  /** A team of a plan with an allowance, its double opt-in list, and its use of the month. */
  async function withAllowance(used = 0) {
    const own = await newTeam({ plan: 'business' });
    const table = await rawTable(inject('folder'));
    const usage = { pk: `TEAM#${own.id}`, sk: `USAGE#${new Date().toISOString().slice(0, 7)}` };
    if (used > 0) await table.write([{ ...usage, emails: used }]);
    const emails = async () => (await table.partition(usage.pk)).find(({ sk }) => sk === usage.sk)?.emails;
    const counts = () => table.partition(`${usage.pk}#SERVICE_MAIL`);
    return { own, list: await listOf(own, 'double'), counts, emails };
  }

  it('are one a day, charged to the allowance, also when it is erased and added again', async () => {
    const { own, list, counts, emails } = await withAllowance();
    const email = `again-${own.id}@example.com`;
    const statuses: string[] = [];
    for (let time = 0; time < 4; time++) {
      const { id, status } = await own.data('POST', '/contacts', { email, list_ids: [list] });
      statuses.push(status);
      await idle(inject('origin'), own);
      if (time < 3) await own.data('POST', `/contacts/${id}/erase`);
    }
    expect(statuses).toEqual(Array(4).fill('pending'));
    expect(await messagesTo(email, own)).toHaveLength(1);
    expect(await emails()).toBe(1);
    const rows = await counts();
    expect(rows).toMatchObject([{ sent_at: [expect.any(Number)], ttl: expect.any(Number) }]);
    expect(JSON.stringify(rows)).not.toContain('again');
  });

  it('are not sent when the allowance is used up, and the contact stays pending', async () => {
    const { own, list, emails } = await withAllowance(1_000_000);
    const email = `over-${own.id}@example.com`;
    const { status } = await own.data('POST', '/contacts', { email, list_ids: [list] });
    expect([status, await messagesTo(email, own), await emails()]).toEqual(['pending', [], 1_000_000]);
  });

  it('and what bounces of them count for the reputation of the team', async () => {
    const { own, list, counts } = await withAllowance();
    const email = `bounce+${own.id}@simulator.amazonses.com`;
    await own.data('POST', '/contacts', { email, list_ids: [list] });
    await idle(inject('origin'), own);
    expect(await counts()).toHaveLength(1);
    const week = await directOutcomes.since(own.id, new Date(Date.now() - 86_400_000).toISOString());
    expect(week).toEqual({ sent: 1, bounced: 1, complained: 0 });
  });

  it('carry no link in the name of a team', async () => {
    const { body } = await control('POST', '/teams', {
      name: 'Prize "now" https://evil.example/x or evil.example',
      plan: 'business',
      domains: [`named-${Date.now()}.example`],
    });
    const named = team.withKey(body.api_key);
    const email = `named-${body.team_id}@example.com`;
    await named.data('POST', '/contacts', { email, list_ids: [await listOf(named, 'double')] });
    const [message] = await messagesTo(email, { id: body.team_id });
    expect(message!.subject).toBe('Please confirm your subscription to "Prize \'now\' or evil example"');
    expect(JSON.stringify(message)).not.toMatch(/evil\.example/);
  });
});

describe('a confirmation link', () => {
  it.each([
    ['unsubscribed', 'unsubscribe', 'You have unsubscribed'],
    ['unsubscribed', 'spam_report', 'You have unsubscribed'],
    ['bounced', 'hard_bounce', 'Messages do not arrive'],
  ])('does not activate a contact that is %s meanwhile (%s)', async (status, reason, title) => {
    const { email } = await signUp();
    const link = await linkTo(email);
    await team.api('POST', '/suppressions', { email, reason });
    expect((await call(link)).body).toContain(title);
    expect((await press(link)).body).toContain(title);
    expect(await statusOf(email)).toBe(status);
  });

  it('is refused once the contact is deleted or erased, or when it is incomplete', async () => {
    const deleted = await signUp();
    const erased = await signUp();
    const links = [await linkTo(deleted.email), await linkTo(erased.email)];
    await team.api('DELETE', `/contacts/${deleted.id}`);
    await team.api('POST', `/contacts/${erased.id}/erase`);
    for (const link of [...links, links[0]!.slice(0, -1), `${inject('origin')}/confirm/x`]) {
      expect((await call(link)).status).toBe(404);
      expect((await press(link)).status).toBe(404);
    }
    const { body } = await team.api('POST', '/contacts', { email: erased.email });
    expect((await press(links[1]!)).status).toBe(404);
    expect(body.data.status).toBe('active');
  });
});
