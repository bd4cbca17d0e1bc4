import { beforeAll, describe, expect, inject, it } from 'vitest';
import { idle, readyCampaign } from '../../support/campaign.ts';
import { call, control, newTeam, type Team } from '../../support/team.ts';

interface Message {
  subject: string;
  from: string;
  html: string;
  text: string;
  headers: Record<string, string>;
}

let team: Team;
let campaign: number;
beforeAll(async () => {
  team = await newTeam({ plan: 'business' });
  const link = '<a href="https://example.com">x</a>';
  const ann = { email: `ann-${team.id}@example.com`, first_name: 'Ann' };
  ({ campaign } = await readyCampaign(team, [ann], {
    subject: 'Hello {{first_name | default: "you"}}',
    html: `<p>{ {{first_name | default: "you"}} } {{{{ ${link} <a href="{{unsubscribe_url}}">out</a></p>`,
  }));
});

const test = (emails: string[], headers?: Record<string, string>, id = campaign) =>
  team.api('POST', `/campaigns/${id}/test`, { emails }, headers);

async function messagesTo(email: string): Promise<Message[]> {
  await idle(inject('origin'), team);
  return (await control('GET', `/messages?to=${encodeURIComponent(email)}`)).body.data;
}

const left = async (): Promise<number> => {
  const { body } = await team.api('POST', `/campaigns/${campaign}/preflight`);
  return body.data.allowance_remaining;
};

describe('a test of a campaign', () => {
  it("is a real message with the contact's values, and fallbacks for other addresses", async () => {
    const [ann, other] = [`ann-${team.id}@example.com`, `other-${team.id}@example.com`];
    const { status, body } = await test([ann, other, ann]);
    expect([status, body]).toEqual([200, { data: { sent: [ann, other], failed: [] } }]);
    const [toAnn, ...more] = await messagesTo(ann);
    expect(more).toEqual([]);
    expect(toAnn!.subject).toBe('Hello Ann');
    expect(toAnn!.html).toContain('{ Ann } {{{{ <a href="https://example.com">x</a>');
    expect((await messagesTo(other))[0]!.subject).toBe('Hello you');
  });

  it('is not sent to an address whose values make it too large, and is sent to the others', async () => {
    const large = { email: `large-${team.id}@example.com`, metadata: { x: 'x'.repeat(15_000) } };
    const html = `${'{{x}}'.repeat(20_000)}<a href="{{unsubscribe_url}}">out</a>`;
    const { campaign: id } = await readyCampaign(team, [large], { html });
    const before = await left();
    const { body } = await test([large.email, `small-${team.id}@example.com`], undefined, id);
    expect(body.data.sent).toEqual([`small-${team.id}@example.com`]);
    expect(body.data.failed).toEqual([{ email: large.email, error: expect.stringContaining('1000000 characters') }]);
    expect(await left()).toBe(before - 1);
  });

  it('has an unsubscribe link without effect', async () => {
    const email = `ann-${team.id}@example.com`;
    const link = (await messagesTo(email))[0]!.headers['List-Unsubscribe']!.slice(1, -1);
    for (const method of ['GET', 'POST'])
      expect((await call(link, method, method === 'POST' ? '' : undefined)).body).toContain('a test message');
    expect((await team.api('GET', `/contacts/${email}`)).body.data.status).toBe('active');
  });

  it('adds no recipient, count or event to the campaign', async () => {
    await test([`bounce+${team.id}@simulator.amazonses.com`]);
    await messagesTo('nobody@example.com');
    expect((await team.api('GET', `/campaigns/${campaign}`)).body.data).toMatchObject({
      status: 'draft',
      total_recipients: 0,
      sent_count: 0,
    });
    expect((await team.api('GET', `/events?campaign_id=${campaign}`)).body.data).toEqual([]);
    const { metrics } = (await team.api('GET', `/campaigns/${campaign}/report`)).body.data;
    expect([metrics.sent, metrics.bounced]).toEqual([0, 0]);
  });

  it('names the addresses that were not mailed and why; a suppressed one is never mailed', async () => {
    const [suppressed, fine] = [`gone-${team.id}@example.com`, `fine-${team.id}@example.com`];
    await team.api('POST', '/suppressions', { email: suppressed, reason: 'unsubscribe' });
    const { body } = await test([suppressed, fine]);
    expect(body.data).toEqual({
      sent: [fine],
      failed: [{ email: suppressed, error: 'the address is suppressed (unsubscribe)' }],
    });
    expect(await messagesTo(suppressed)).toEqual([]);
  });

  it('is sent once when the request is repeated under its Idempotency-Key', async () => {
    const email = `once-${team.id}@example.com`;
    const key = { 'idempotency-key': `test-${team.id}` };
    const first = await test([email], key);
    const again = await test([email], key);
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await messagesTo(email)).toHaveLength(1);
  });

  it('counts against the allowance by what was sent', async () => {
    const before = await left();
    await test([`a-${team.id}@example.com`, `b-${team.id}@example.com`, `gone-${team.id}@example.com`]);
    expect(await left()).toBe(before - 2);
  });

  it('is refused, with the reasons, for an incomplete message or an unverified domain', async () => {
    const { body: made } = await team.api('POST', '/campaigns', { name: 'Blank' });
    const blank = await test(['a@example.com'], undefined, made.data.id);
    expect([blank.status, blank.body.code, blank.body.blockers]).toEqual([
      422,
      'send_blocked',
      ['subject_missing', 'content_missing', 'from_email_missing'],
    ]);
    await team.api('PUT', `/campaigns/${made.data.id}/content`, { plain_content: 'Hi' });
    await team.api('PATCH', `/campaigns/${made.data.id}`, {
      name: 'Foreign',
      subject: 'Hi',
      from_email: 'me@foreign.example',
    });
    const foreign = await test(['a@example.com'], undefined, made.data.id);
    expect([foreign.status, foreign.body.code]).toEqual([422, 'sending_domain_unverified']);
  });

  it('shows a campaign without a subject of its own as the first variant of its A/B test', async () => {
    const fields = { name: 'A/B', from_name: 'Own', from_email: `news@${team.domain}` };
    const { id } = await team.data('POST', '/campaigns', fields);
    await team.data('PUT', `/campaigns/${id}/content`, { html_content: '<p>Hi</p>' });
    const variants = [
      { label: 'A', subject: 'First {{email}}', from_name: 'Somebody' },
      { label: 'B', subject: 'Second' },
    ];
    await team.data('POST', `/campaigns/${id}/variants`, { variants });
    const email = `variant-${team.id}@example.com`;
    expect((await test([email], undefined, id)).body.data).toEqual({ sent: [email], failed: [] });
    const [message] = await messagesTo(email);
    expect(message).toMatchObject({ subject: `First ${email}`, from: expect.stringMatching(/^Somebody </) });
    await team.data('PATCH', `/campaigns/${id}`, { name: 'Plain', ab_test_enabled: false });
    expect((await test([email], undefined, id)).body.blockers).toEqual(['subject_missing']);
  });

  it.each([
    ['none', []],
    ['more than five', ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `${name}@example.com`)],
    ['something else', ['not an address']],
  ])('accepts one to five addresses, not %s', async (_what, emails) => {
    const { status, body } = await test(emails);
    expect([status, body.code]).toEqual([422, 'validation_error']);
  });
});
