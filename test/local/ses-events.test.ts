import { SendBulkEmailCommand, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bulk, type SesEvent, type SesUnderTest, simple, startSes, TOPIC } from './ses-harness.ts';

describe('events of the local SES', () => {
  let under: SesUnderTest;
  beforeEach(async () => {
    under = await startSes();
  });
  afterEach(() => under.close());

  const sendBulk = (input: ConstructorParameters<typeof SendBulkEmailCommand>[0]) =>
    under.client.send(new SendBulkEmailCommand(input));
  const types = (events: SesEvent[]) => events.map(({ eventType }) => eventType);

  it('publishes a delivery in the format of SES', async () => {
    const { BulkEmailEntryResults } = await sendBulk({
      ...bulk(
        [
          {
            to: 'Bob <Bob@b.example>',
            data: { name: 'Bob' },
            tags: { team: '1', campaign: '7' },
            headers: { 'X-A': 'a' },
          },
        ],
        { set: 'tracked', from: 'News <news@a.example>' },
      ),
      ReplyToAddresses: ['reply@a.example'],
    });
    const iso = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    const messageId = BulkEmailEntryResults?.[0]?.MessageId;
    expect(await under.published()).toEqual([
      {
        topicArn: TOPIC,
        eventType: 'Delivery',
        mail: {
          timestamp: iso,
          source: 'News <news@a.example>',
          sourceArn: 'arn:aws:ses:eu-west-1:123456789012:identity/a.example',
          sendingAccountId: '123456789012',
          messageId,
          destination: ['Bob@b.example'],
          headersTruncated: false,
          headers: [
            { name: 'From', value: 'News <news@a.example>' },
            { name: 'Reply-To', value: 'reply@a.example' },
            { name: 'To', value: 'Bob <Bob@b.example>' },
            { name: 'Subject', value: 'Hello Bob' },
            { name: 'MIME-Version', value: '1.0' },
            { name: 'Content-Type', value: 'multipart/alternative' },
            { name: 'X-A', value: 'a' },
          ],
          commonHeaders: {
            from: ['News <news@a.example>'],
            replyTo: ['reply@a.example'],
            to: ['Bob <Bob@b.example>'],
            messageId,
            subject: 'Hello Bob',
          },
          tags: {
            'ses:operation': ['SendBulkEmail'],
            'ses:configuration-set': ['tracked'],
            'ses:source-ip': ['127.0.0.1'],
            'ses:from-domain': ['a.example'],
            'ses:caller-identity': ['SendPage'],
            'ses:outgoing-ip': ['127.0.0.1'],
            team: ['1'],
            campaign: ['7'],
          },
        },
        delivery: {
          timestamp: iso,
          processingTimeMillis: expect.any(Number),
          recipients: ['Bob@b.example'],
          smtpResponse: expect.stringMatching(/^250 /),
          remoteMtaIp: '127.0.0.1',
          reportingMTA: expect.any(String),
        },
      },
    ]);
  });

  it.each([
    ['success', ['Delivery']],
    ['ooto', ['Delivery']],
    ['bounce', ['Bounce']],
    ['complaint', ['Delivery', 'Complaint']],
    ['suppressionlist', ['Bounce']],
  ])('publishes for the simulator address %s, with a label too, %j', async (name, expected) => {
    await under.client.send(new SendEmailCommand(simple(`${name}+7@simulator.amazonses.com`, { set: 'tracked' })));
    expect(types(await under.published())).toEqual(expected);
  });

  it('distinguishes a hard bounce from an address on the suppression list', async () => {
    const to = (name: string) => ({ to: `${name}@simulator.amazonses.com`, data: { name } });
    await sendBulk(bulk([to('bounce'), to('suppressionlist')], { set: 'tracked' }));
    expect((await under.published()).map(({ bounce }) => bounce)).toMatchObject([
      {
        bounceType: 'Permanent',
        bounceSubType: 'General',
        bouncedRecipients: [
          {
            emailAddress: 'bounce@simulator.amazonses.com',
            action: 'failed',
            status: '5.1.1',
            diagnosticCode: 'smtp; 550 5.1.1 user unknown',
          },
        ],
      },
      { bounceType: 'Permanent', bounceSubType: 'Suppressed' },
    ]);
  });

  it('names only the recipients of the event', async () => {
    const input = simple('bob@b.example', { set: 'tracked' });
    input.Destination.ToAddresses.push('bounce@simulator.amazonses.com', 'complaint@simulator.amazonses.com');
    await under.client.send(new SendEmailCommand(input));
    const [delivery, bounce, complaint] = await under.published();
    expect(delivery.delivery.recipients).toEqual(['bob@b.example', 'complaint@simulator.amazonses.com']);
    expect(bounce.bounce.bouncedRecipients).toHaveLength(1);
    expect(complaint.complaint).toMatchObject({
      complainedRecipients: [{ emailAddress: 'complaint@simulator.amazonses.com' }],
      complaintFeedbackType: 'abuse',
      complaintSubType: null,
    });
    expect(complaint.mail.destination).toHaveLength(3);
  });

  it('accepts a message with a missing value and reports a rendering failure, tags included', async () => {
    const { BulkEmailEntryResults } = await sendBulk(
      bulk([{ to: 'bob@b.example', data: { nam: 'Bob' }, tags: { page: '3' } }], { set: 'plain' }),
    );
    expect(BulkEmailEntryResults?.[0]?.Status).toBe('SUCCESS');
    const [event] = await under.published();
    expect(event).toMatchObject({
      eventType: 'Rendering Failure',
      mail: { messageId: BulkEmailEntryResults?.[0]?.MessageId, tags: { page: ['3'] } },
      failure: { errorMessage: "Attribute 'name' is not present in the rendering data." },
    });
    expect(event.mail).not.toHaveProperty('headers');
    expect(under.ses.messages({})).toMatchObject([{ subject: null, html: null, text: null }]);
  });

  it('fails to render a subject with a line break from a value', async () => {
    await sendBulk(bulk([{ to: 'bob@b.example', data: { name: 'x\r\nBcc: eve@b.example' } }], { set: 'tracked' }));
    expect(types(await under.published())).toEqual(['Rendering Failure']);
  });

  it('rejects the EICAR test virus after accepting the message', async () => {
    const virus = 'X5O!P%@AP[4\\PZX54(P^)7CC)7}$' + 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*';
    const names = ['Bob', virus].map((name, n) => ({ to: `${n}@b.example`, data: { name } }));
    await sendBulk(bulk(names, { set: 'tracked' }));
    const events = await under.published();
    expect(types(events)).toEqual(['Delivery', 'Reject']);
    expect(events[1].reject).toEqual({ reason: 'Bad content' });
  });

  it('publishes only what the configuration set subscribes to', async () => {
    await under.client.send(new SendEmailCommand(simple('bounce@simulator.amazonses.com', { set: 'plain' })));
    await under.client.send(new SendEmailCommand(simple('bob@b.example')));
    expect(under.ses.pending()).toBe(0);
    expect(await under.published()).toEqual([]);
  });

  it('publishes to every topic of the configuration set', async () => {
    await under.close();
    const destinations = ['one', 'two'].map((name) => ({
      topicArn: `arn:aws:sns:eu-west-1:123456789012:${name}`,
      matchingEventTypes: ['delivery', 'complaint'].slice(0, name === 'one' ? 2 : 1),
    }));
    under = await startSes({ configurationSets: [{ name: 'both', destinations }] });
    await under.client.send(new SendEmailCommand(simple('complaint@simulator.amazonses.com', { set: 'both' })));
    const seen = (await under.published()).map(
      ({ eventType, topicArn }) => `${eventType} ${topicArn.split(':').at(-1)}`,
    );
    expect(seen).toEqual(['Delivery one', 'Delivery two', 'Complaint one']);
  });

  it('publishes the same text again until the topic accepts it', async () => {
    await under.close();
    const tried: string[] = [];
    under = await startSes({
      publish: async (_, message) => {
        tried.push(message);
        if (tried.length < 3) throw new Error('the topic is down');
      },
    });
    await under.client.send(new SendEmailCommand(simple('bob@b.example', { set: 'tracked' })));
    expect(under.ses.pending()).toBe(1);
    await under.published();
    expect(tried).toHaveLength(3);
    expect(new Set(tried).size).toBe(1);
  });
});
