import { beforeAll, describe, expect, inject, it } from 'vitest';
import { everyRow, idle, type Message } from '../../support/campaign.ts';
import { rawTable } from '../../support/table.ts';
import { type Answer, call, newTeam, type Team } from '../../support/team.ts';

interface Waitlist {
  id: number;
  slug: string;
  public_url: string;
}

let team: Team;
beforeAll(async () => {
  team = await newTeam();
});

const newWaitlist = (): Promise<Waitlist> => team.data('POST', '/waitlists', { name: 'Page' });
const signUp = (waitlist: Waitlist, email: string, referral_code?: string) =>
  team.data('POST', `/waitlists/${waitlist.id}/signups`, { email, referral_code });
const every = (waitlist: Waitlist) => everyRow(team, `/waitlists/${waitlist.id}/signups`);
const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** Signs up on the hosted page. */
const enter = (waitlist: Waitlist, email: string, ref = ''): Promise<Answer> =>
  call(waitlist.public_url, 'POST', String(new URLSearchParams({ email, ref })), form);

async function mailsTo(address: string, of = team): Promise<Message[]> {
  await idle(inject('origin'), of);
  return (await call(`${inject('origin')}/_local/messages?to=${encodeURIComponent(address)}`)).body.data;
}

/** The link of the button of the mail with a place. */
async function buttonOf(address: string): Promise<string> {
  const [mail] = await mailsTo(address);
  return /: (http\S+\/w\/[^/\s]+\/\S+)/.exec(mail!.text)![1]!;
}

it('does not read a form of a length that none of ours has', async () => {
  const waitlist = await newWaitlist();
  const fields = `email=long-form@example.com${'&more='.repeat(4_000)}`;
  const { status, body } = await call(waitlist.public_url, 'POST', fields, form);
  expect([status, body]).toEqual([422, expect.stringContaining('Your address is missing')]);
});

describe('the mails that strangers cause on the hosted page', () => {
  it('are limited for each day: who signs up beyond is answered as ever, and mailed nothing', async () => {
    const own = await newTeam({ plan: 'business' });
    const table = await rawTable(inject('folder'));
    const pk = `TEAM#${own.id}`;
    await table.write([{ pk, sk: `PAGE_MAIL#${new Date().toISOString().slice(0, 10)}`, sent: 49_999 }]);
    const waitlist = await own.data('POST', '/waitlists', { name: 'Page' });
    const [last, over] = [`last-${own.id}@example.com`, `over-${own.id}@example.com`];
    expect((await enter(waitlist, last)).status).toBe(303);
    expect(await mailsTo(last, own)).toHaveLength(1);
    const entered = await enter(waitlist, over);
    expect(entered.status).toBe(303);
    expect((await enter(waitlist, over)).status).toBe(200);
    expect(await mailsTo(over, own)).toEqual([]);
    const rows = await table.partition(pk);
    const row = (start: string) => rows.find(({ sk }) => sk.startsWith(start));
    expect([row('PAGE_MAIL')?.sent, row('USAGE')?.emails]).toEqual([50_000, 1]);
    expect(await own.data('GET', `/waitlists/${waitlist.id}`)).toMatchObject({ signups_count: 2 });
  });

  it('are not sent, nor held, by a team whose reputation forbids it', async () => {
    const own = await newTeam();
    const table = await rawTable(inject('folder'));
    const hour = new Date().toISOString().slice(0, 13);
    await table.write([{ pk: `TEAM#${own.id}#DIRECT_OUTCOMES`, sk: `${hour}#0`, sent: 100, bounced: 50 }]);
    const waitlist = await own.data('POST', '/waitlists', { name: 'Page' });
    const email = `barred-${own.id}@example.com`;
    expect((await enter(waitlist, email)).status).toBe(303);
    expect(await mailsTo(email, own)).toEqual([]);
    const held = async () =>
      (await Promise.all([0, 1, 2, 3].map((shard) => table.partition(`DUE#${shard}`))))
        .flat()
        .filter(({ team_id, kind }) => team_id === own.id && kind === 'notices');
    expect(await held()).toEqual([]);
    const invited = await own.api('POST', `/waitlists/${waitlist.id}/invite`, { count: 1 });
    expect([invited.status, invited.body.blockers]).toEqual([422, ['abuse_screening_failed']]);
    expect(await own.data('GET', `/waitlists/${waitlist.id}/signups`)).toMatchObject([{ status: 'pending' }]);
    const { id } = await own.data('POST', '/lists', { name: 'News', opt_in_mode: 'double' });
    await own.data('POST', '/contacts', { email, list_ids: [id] });
    expect(await mailsTo(email, own)).toEqual([]);
    expect(await held()).toMatchObject([{ told: true }]);
  });
});

describe('a new signup on the hosted page', () => {
  it('sees its place and its link at once, and has them mailed to it', async () => {
    const waitlist = await newWaitlist();
    await signUp(waitlist, 'first@example.com');
    const email = `new-${waitlist.id}@example.com`;
    const entered = await enter(waitlist, email);
    expect(entered.status).toBe(303);
    const { body } = await call(inject('origin') + entered.headers.get('location'));
    const [{ referral_code }] = await every(waitlist);
    expect(body.replace(/\s+/g, ' ')).toContain('Your place <strong>2</strong>');
    expect(body).toContain(`?ref=${referral_code}`);
    const [mail, ...more] = await mailsTo(email);
    expect(more).toEqual([]);
    expect(mail).toMatchObject({
      from: `Test <no-reply@${team.domain}>`,
      subject: 'Your place on the waitlist "Page"',
      text: expect.stringContaining('Your place is 2.'),
      headers: { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    });
    expect(mail!.text).toContain(`${waitlist.public_url}?ref=${referral_code}`);
    expect((await call(await buttonOf(email))).body).toContain('<strong>2</strong>');
  });

  it('counts for its referrer only by the button of its mail, once, and not by opening the link', async () => {
    const waitlist = await newWaitlist();
    for (let index = 0; index < 5; index++) await signUp(waitlist, `before-${index}@example.com`);
    const referrer = await signUp(waitlist, `referrer-${waitlist.id}@example.com`);
    const invented = [0, 1, 2].map((index) => `invented-${index}-${waitlist.id}@example.com`);
    for (const email of invented) expect((await enter(waitlist, email, referrer.referral_code)).status).toBe(303);
    expect(await signUp(waitlist, referrer.email)).toEqual(referrer);
    const link = await buttonOf(invented[1]!);
    const shown = await call(link);
    expect([shown.status, shown.body]).toEqual([200, expect.stringContaining('Confirm my address')]);
    expect(await signUp(waitlist, referrer.email)).toEqual(referrer);
    await Promise.all([call(link, 'POST', ''), call(link, 'POST', ''), call(link, 'POST', '')]);
    expect(await signUp(waitlist, referrer.email)).toMatchObject({ position: 3, referrals_count: 1 });
    expect((await call(link)).body).not.toContain('Confirm my address');
    const positions = (await every(waitlist)).map(({ position }) => position).sort((a, b) => a - b);
    expect(positions).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it('counts for a referrer that waits behind it, which passes it', async () => {
    const waitlist = await newWaitlist();
    const names = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}-${waitlist.id}@example.com`);
    for (const email of names) await signUp(waitlist, email);
    const [referrer] = await every(waitlist);
    const referred = `referred-${waitlist.id}@example.com`;
    await enter(waitlist, referred, referrer.referral_code);
    const [{ referral_code }] = await every(waitlist);
    await signUp(waitlist, `friend-${waitlist.id}@example.com`, referral_code);
    expect([(await signUp(waitlist, referred)).position, (await signUp(waitlist, referrer.email)).position]).toEqual([
      3, 6,
    ]);
    await call(await buttonOf(referred), 'POST', '');
    expect([(await signUp(waitlist, referred)).position, (await signUp(waitlist, referrer.email)).position]).toEqual([
      4, 3,
    ]);
    const positions = (await every(waitlist)).map(({ position }) => position).sort((a, b) => a - b);
    expect(positions).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('counts once though it was referred over the API when it was removed and came back', async () => {
    const waitlist = await newWaitlist();
    const referrer = await signUp(waitlist, `r-${waitlist.id}@example.com`);
    const email = `back-${waitlist.id}@example.com`;
    await enter(waitlist, email, referrer.referral_code);
    const link = await buttonOf(email);
    const [{ id }] = await every(waitlist);
    await team.data('DELETE', `/waitlists/${waitlist.id}/signups/${id}`);
    await call(link, 'POST', '');
    expect(await signUp(waitlist, referrer.email)).toMatchObject({ referrals_count: 0 });
    await signUp(waitlist, email, referrer.referral_code);
    await call(link, 'POST', '');
    expect(await signUp(waitlist, referrer.email)).toMatchObject({ referrals_count: 1 });
  });
});

describe('an address that has signed up before', () => {
  it('is told nothing on the page, but has its place and link mailed to it, once a day', async () => {
    const waitlist = await newWaitlist();
    const email = `known-${waitlist.id}@example.com`;
    const { referral_code } = await signUp(waitlist, email);
    for (let time = 0; time < 3; time++) {
      const { status, body, headers } = await enter(waitlist, email);
      expect([status, headers.get('location'), body]).toEqual([200, null, expect.stringContaining('inbox')]);
      expect(body).not.toMatch(new RegExp(`place <strong>|${referral_code}|/w/${waitlist.slug}/`));
    }
    const mails = await mailsTo(email);
    expect(mails).toHaveLength(1);
    expect(mails[0]!.text).toContain('Your place is 1.');
    expect(mails[0]!.text).toContain(`?ref=${referral_code}`);
  });

  it('is told nothing either when it was removed, and is on the list again', async () => {
    const waitlist = await newWaitlist();
    const email = `removed-${waitlist.id}@example.com`;
    const { id, referral_code } = await signUp(waitlist, email);
    await team.data('DELETE', `/waitlists/${waitlist.id}/signups/${id}`);
    const { status, body } = await enter(waitlist, email);
    expect([status, body]).toEqual([200, expect.stringContaining('inbox')]);
    expect(body).not.toContain(referral_code);
    expect((await mailsTo(email))[0]!.text).toContain(`?ref=${referral_code}`);
    expect(await every(waitlist)).toMatchObject([{ id, status: 'pending', position: 1 }]);
  });

  it('is shown how its signup stands by the mail when it is invited', async () => {
    const waitlist = await newWaitlist();
    const email = `invited-${waitlist.id}@example.com`;
    const { id } = await signUp(waitlist, email);
    await team.data('POST', `/waitlists/${waitlist.id}/invite`, { signup_ids: [id] });
    await enter(waitlist, email);
    const [mail] = (await mailsTo(email)).filter(({ subject }) => subject.startsWith('Your place'));
    expect(mail!.text).toContain('You no longer wait');
    const [link] = /http\S+\/w\/\S+/.exec(mail!.text)!;
    expect((await call(link)).body).toContain('You are invited');
    await call(link, 'POST', '');
    expect(await signUp(waitlist, email)).toMatchObject({ status: 'invited' });
  });
});
