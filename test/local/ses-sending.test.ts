import {
  GetAccountCommand,
  PutAccountDetailsCommand,
  PutAccountPricingAttributesCommand,
  SendBulkEmailCommand,
  SendEmailCommand,
} from '@aws-sdk/client-sesv2';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { bulk, type SesUnderTest, simple, startSes } from './ses-harness.ts';

describe('sending through the local SES', () => {
  let under: SesUnderTest;
  beforeEach(async () => {
    under = await startSes();
  });
  afterEach(() => under.close());

  const sendEmail = (input: ConstructorParameters<typeof SendEmailCommand>[0]) =>
    under.client.send(new SendEmailCommand(input));
  const sendBulk = (input: ConstructorParameters<typeof SendBulkEmailCommand>[0]) =>
    under.client.send(new SendBulkEmailCommand(input));
  const restart = async (...options: Parameters<typeof startSes>) => {
    await under.close();
    under = await startSes(...options);
  };

  it('captures a simple message unchanged', async () => {
    const { MessageId } = await sendEmail({
      ...simple('Bob@b.example', { html: '<b>{{not_a_slot}}</b>', from: '=?UTF-8?B?w4Ru?= <ann@a.example>' }),
      ReplyToAddresses: ['reply@a.example'],
      EmailTags: [{ Name: 'campaign', Value: '7' }],
    });
    const [message] = under.ses.messages({ to: 'bob@B.example' });
    expect(message).toMatchObject({
      message_id: MessageId,
      to: 'Bob@b.example',
      from: 'Än <ann@a.example>',
      reply_to: 'reply@a.example',
      subject: 'Hello',
      html: '<b>{{not_a_slot}}</b>',
      text: 'Hi',
      tags: { campaign: '7' },
      headers: { From: '=?UTF-8?B?w4Ru?= <ann@a.example>', Subject: 'Hello', 'Reply-To': 'reply@a.example' },
    });
    expect(message?.accepted_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00$/);
  });

  it('renders each bulk entry with its own values and escapes nothing', async () => {
    const { BulkEmailEntryResults } = await sendBulk(
      bulk(
        [
          { to: 'one@b.example', data: { name: '<i>One</i>', city: 'Bern' } },
          { to: 'two@b.example', data: { name: '$& {{name}}', city: 2 } },
        ],
        { html: '<p>{{ name }} {{{city}}} \\{{name}}</p>' },
      ),
    );
    expect(BulkEmailEntryResults?.map(({ Status }) => Status)).toEqual(['SUCCESS', 'SUCCESS']);
    const [one, two] = under.ses.messages({});
    expect(one).toMatchObject({ message_id: BulkEmailEntryResults?.[0]?.MessageId, to: 'one@b.example' });
    expect(one).toMatchObject({ subject: 'Hello <i>One</i>', html: '<p><i>One</i> Bern {{name}}</p>' });
    expect(two).toMatchObject({ subject: 'Hello $& {{name}}', html: '<p>$& {{name}} 2 {{name}}</p>' });
  });

  it('refuses only the malformed recipient of a call', async () => {
    const { BulkEmailEntryResults } = await sendBulk(
      bulk([
        { to: 'nobody', data: { name: 'x' } },
        { to: 'two@b.example', data: { name: 'Two' } },
      ]),
    );
    expect(BulkEmailEntryResults).toMatchObject([
      { Status: 'INVALID_PARAMETER', Error: "Missing final '@domain'" },
      { Status: 'SUCCESS' },
    ]);
    expect(under.ses.messages({}).map(({ to, message_id }) => [to, message_id])).toEqual([
      ['two@b.example', BulkEmailEntryResults?.[1]?.MessageId],
    ]);
  });

  it('finds messages by recipient, campaign tag and message id, newest last', async () => {
    const ids: Array<string | undefined> = [];
    for (const campaign of ['7', '8', '7']) {
      const { BulkEmailEntryResults } = await sendBulk(
        bulk(['one', 'two'].map((name) => ({ to: `${name}@b.example`, data: { name }, tags: { campaign } }))),
      );
      ids.push(...(BulkEmailEntryResults ?? []).map(({ MessageId }) => MessageId));
    }
    const found = (filter: Parameters<typeof under.ses.messages>[0]) =>
      under.ses.messages(filter).map(({ message_id }) => ids.indexOf(message_id));
    expect(found({})).toEqual([0, 1, 2, 3, 4, 5]);
    expect(found({ to: 'two@b.example' })).toEqual([1, 3, 5]);
    expect(found({ campaign_id: 7 })).toEqual([0, 1, 4, 5]);
    expect(found({ campaign_id: '7', to: 'one@b.example' })).toEqual([0, 4]);
    expect(found({ message_id: ids[3]! })).toEqual([3]);
    expect(found({ message_id: ids[3]!, to: 'one@b.example' })).toEqual([]);
    expect(found({ message_id: 'none' })).toEqual([]);
    expect(found({ limit: 3 })).toEqual([3, 4, 5]);
    expect(found({ campaign_id: 8, limit: 1 })).toEqual([3]);
  });

  it('sends for a verified domain and its subdomains only', async () => {
    for (const from of ['x@a.example', 'X <x@mail.a.example>']) {
      await sendEmail(simple('bob@c.example', { from }));
    }
    for (const from of ['eve@b.example', 'x@nota.example', 'x@example']) {
      await expect(sendEmail(simple('bob@c.example', { from }))).rejects.toMatchObject({
        name: 'MessageRejected',
        message: expect.stringMatching(/^Email address is not verified\..* EU-WEST-1: /),
      });
    }
    await expect(sendBulk(bulk([{ to: 'bob@c.example' }], { from: 'eve@b.example' }))).rejects.toMatchObject({
      name: 'MessageRejected',
    });
  });

  it.each([
    ['a line break in a value', { 'X-A': 'a\r\nBcc: eve@b.example' }],
    ['a value that is not ASCII', { 'X-A': 'é' }],
    ['a value over 870 characters', { 'X-A': 'x'.repeat(871) }],
    ['a colon in a name', { 'X:A': 'a' }],
    ['a header that SES sets itself', { 'Reply-To': 'eve@b.example' }],
    ['a header twice', { 'X-A': 'a', 'x-a': 'b' }],
  ])('refuses the whole call for custom headers with %s', async (_, headers) => {
    const sent = sendBulk(
      bulk([
        { to: 'one@b.example', data: { name: 'x' } },
        { to: 'two@b.example', headers },
      ]),
    );
    await expect(sent).rejects.toMatchObject({ name: 'BadRequestException' });
    expect(under.ses.messages({})).toEqual([]);
  });

  it.each(['a b', 'a@b', 'a.b', ''])('refuses the message tag value %j', async (value) => {
    const sent = sendBulk(bulk([{ to: 'one@b.example', tags: { page: value } }]));
    await expect(sent).rejects.toMatchObject({ name: 'BadRequestException' });
  });

  it.each([
    ['no recipients', bulk([])],
    ['51 entries', bulk(Array.from({ length: 51 }, () => ({ to: 'one@b.example', data: { name: 'x' } })))],
    [
      'template data that is not JSON',
      {
        ...bulk([]),
        BulkEmailEntries: [
          {
            Destination: { ToAddresses: ['o@b.example'] },
            ReplacementEmailContent: { ReplacementTemplate: { ReplacementTemplateData: '{' } },
          },
        ],
      },
    ],
    ['a block helper', bulk([{ to: 'one@b.example' }], { html: '{{#if name}}x{{/if}}' })],
    ['more than 1 MB', bulk([{ to: 'one@b.example' }], { html: 'x'.repeat(1024 * 1024) })],
  ])('refuses a bulk call with %s', async (_, input) => {
    await expect(sendBulk(input)).rejects.toMatchObject({ name: 'BadRequestException' });
  });

  it('refuses raw mail and a subject with line breaks', async () => {
    const raw = { ...simple('bob@b.example'), Content: { Raw: { Data: Buffer.from('Subject: x\r\n\r\n') } } };
    await expect(sendEmail(raw)).rejects.toMatchObject({ name: 'BadRequestException' });
    const broken = simple('bob@b.example');
    broken.Content.Simple.Subject.Data = 'x\r\nBcc: eve@b.example';
    await expect(sendEmail(broken)).rejects.toMatchObject({ name: 'BadRequestException' });
  });

  it('answers NotFoundException for an unknown configuration set', async () => {
    const sent = sendEmail(simple('b@b.example', { set: 'none' }));
    await expect(sent).rejects.toMatchObject({ name: 'NotFoundException' });
  });

  it('refuses a stored template', async () => {
    const stored = { ...bulk([{ to: 'b@b.example' }]), DefaultContent: { Template: { TemplateName: 'welcome' } } };
    await expect(sendBulk(stored)).rejects.toMatchObject({ name: 'BadRequestException' });
  });

  it('throttles above the send rate and accepts again a second later', async () => {
    await restart({ maxSendRate: 2 });
    const call = bulk(['one', 'two'].map((name) => ({ to: `${name}@b.example`, data: { name } })));
    await sendBulk(call);
    await expect(sendBulk(call)).rejects.toMatchObject({
      name: 'TooManyRequestsException',
      message: 'Maximum sending rate exceeded.',
      $metadata: { httpStatusCode: 429 },
    });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 1000 });
    await sendBulk(call).finally(() => vi.useRealTimers());
    expect(under.ses.messages({})).toHaveLength(4);
  });

  it('throttles the messages of a call beyond what the account sends in a second', async () => {
    await restart({ maxSendRate: 2 });
    const { BulkEmailEntryResults } = await sendBulk(
      bulk(['one', 'two', 'three'].map((name) => ({ to: `${name}@b.example`, data: { name } }))),
    );
    expect(BulkEmailEntryResults?.map(({ Status }) => Status)).toEqual(['SUCCESS', 'SUCCESS', 'ACCOUNT_THROTTLED']);
    expect(under.ses.messages({})).toHaveLength(2);
  });

  it('throttles by a send rate that was changed while it runs', async () => {
    await restart({ maxSendRate: 1_000 });
    under.ses.setMaxSendRate(1);
    expect((await under.client.send(new GetAccountCommand())).SendQuota?.MaxSendRate).toBe(1);
    const call = bulk(['one', 'two'].map((name) => ({ to: `${name}@b.example`, data: { name } })));
    await sendBulk(call);
    await expect(sendBulk(call)).rejects.toMatchObject({ name: 'TooManyRequestsException' });
  });

  it('pays by the pricing plan that it was put on', async () => {
    await under.client.send(new PutAccountPricingAttributesCommand({ Plan: 'NONE' }));
    expect((await under.client.send(new GetAccountCommand({}))).PricingAttributes).toEqual({ CurrentPlan: 'NONE' });
  });

  it('sends only to verified domains and the simulator while the account is in sandbox', async () => {
    const production = (ProductionAccessEnabled: boolean) =>
      under.client.send(
        new PutAccountDetailsCommand({
          MailType: 'MARKETING',
          WebsiteURL: 'https://a.example',
          ProductionAccessEnabled,
        }),
      );
    await production(false);
    expect((await under.client.send(new GetAccountCommand({}))).ProductionAccessEnabled).toBe(false);
    await expect(sendEmail(simple('b@b.example'))).rejects.toMatchObject({
      name: 'MessageRejected',
      message: expect.stringContaining('Email address is not verified.'),
    });
    await sendEmail(simple('success@simulator.amazonses.com'));
    const { BulkEmailEntryResults } = await sendBulk(
      bulk(['b@b.example', 'c@a.example'].map((to) => ({ to, data: { name: to } }))),
    );
    expect(BulkEmailEntryResults?.map(({ Status }) => Status)).toEqual(['MESSAGE_REJECTED', 'SUCCESS']);
    await production(true);
    await sendEmail(simple('b@b.example'));
    expect(under.ses.messages({})).toHaveLength(3);
  });

  it('stops at the daily quota, against which the mailbox simulator does not count', async () => {
    await restart({ max24HourSend: 2 });
    await sendEmail(simple('success@simulator.amazonses.com'));
    const three = bulk(['one', 'two', 'three'].map((name) => ({ to: `${name}@b.example`, data: { name } })));
    const { BulkEmailEntryResults } = await sendBulk(three);
    expect(BulkEmailEntryResults?.map(({ Status }) => Status)).toEqual([
      'SUCCESS',
      'SUCCESS',
      'ACCOUNT_DAILY_QUOTA_EXCEEDED',
    ]);
    await expect(sendBulk(three)).rejects.toMatchObject({
      name: 'LimitExceededException',
      message: 'Daily message quota exceeded.',
    });
    await sendEmail(simple('success+2@simulator.amazonses.com'));
    expect(await under.client.send(new GetAccountCommand({}))).toMatchObject({
      ProductionAccessEnabled: true,
      SendingEnabled: true,
      EnforcementStatus: 'HEALTHY',
      SendQuota: { Max24HourSend: 2, MaxSendRate: 14_000, SentLast24Hours: 2 },
    });
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 25 * 3600 * 1000 });
    await sendBulk(three).finally(() => vi.useRealTimers());
    expect(under.ses.messages({})).toHaveLength(6);
  });
});
