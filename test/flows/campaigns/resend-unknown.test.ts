import { expect, it } from 'vitest';
import { everyRow } from '../../support/campaign.ts';
import { accepted, expectExact, listed, lost, resend, sentUnder, settle, withStatus } from './resend-unknown.setup.ts';

const until = /until (\d{4}-\d\d-\d\dT\S+\+00:00)/;

it('sends again to exactly those who stay unknown, once the provider had the time to report', async () => {
  const sent = await sentUnder({ ...lost, count: 1 });
  const { team, campaign } = sent;
  const before = await accepted(team, campaign);
  const unknown = await withStatus(team, campaign, 'unknown');
  expect(unknown.length).toBe(sent.emails.length - before.length);
  expect(unknown.length).toBeGreaterThan(0);

  const early = await resend(team, campaign);
  expect([early.status, early.body.code]).toEqual([422, 'still_settling']);
  const [, time = ''] = until.exec(early.body.message) ?? [];
  expect(Number.isNaN(Date.parse(time))).toBe(false);
  const report = async () => (await team.data('GET', `/campaigns/${campaign}/report`)).unknown;
  expect(await report()).toEqual({ recipients: unknown.length, message: expect.stringContaining(time) });
  for (const { error_message } of await listed(team, campaign)) expect(error_message).toBeNull();

  await settle(team);
  for (const { status, error_message } of await listed(team, campaign))
    expect([status, error_message]).toEqual(
      status === 'unknown' ? [status, expect.stringContaining('never said')] : ['sent', null],
    );
  expect(await report()).toEqual({ recipients: unknown.length, message: expect.stringContaining('never said') });
  const { sent_at: first } = (await listed(team, campaign)).find(({ status }) => status === 'sent');
  const answer = await resend(team, campaign);
  expect([answer.status, answer.body.data.status]).toEqual([200, 'sending']);
  expect(answer.body.data).toMatchObject({ failure_reason: null, sent_count: before.length });
  await expectExact(sent);
  expect((await accepted(team, campaign)).filter((email) => !before.includes(email))).toEqual(unknown.sort());
  const five_hours = 5 * 3_600_000;
  for (const { email, sent_at, error_message } of await listed(team, campaign)) {
    expect(error_message).toBeNull();
    expect([email, Date.parse(sent_at) - Date.parse(first) > five_hours]).toEqual([email, unknown.includes(email)]);
  }
  const [again] = await everyRow(team, `/events?campaign_id=${campaign}&event=sent&email=${unknown[0]}`);
  expect(Date.parse(again.created_at) - Date.parse(first)).toBeGreaterThan(five_hours);
  expect(await report()).toBeUndefined();
  expect((await resend(team, campaign)).body.code).toBe('not_applicable');
});
