import {
  CreateEmailIdentityCommand,
  DeleteEmailIdentityCommand,
  DeleteSuppressedDestinationCommand,
  GetAccountCommand,
  GetEmailIdentityCommand,
  GetSuppressedDestinationCommand,
  PutEmailIdentityFeedbackAttributesCommand,
  PutEmailIdentityMailFromAttributesCommand,
  PutSuppressedDestinationCommand,
  SendEmailCommand,
} from '@aws-sdk/client-sesv2';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type SesUnderTest, simple, startSes } from './ses-harness.ts';

describe('identities of the local SES', () => {
  let under: SesUnderTest;
  beforeEach(async () => {
    under = await startSes();
  });
  afterEach(() => {
    vi.useRealTimers();
    return under.close();
  });

  it('takes GetAccount, and each call about identities, once a second from the whole account', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const { client } = under;
    const EmailIdentity = 'a.example';
    const calls: (() => Promise<unknown>)[] = [
      () => client.send(new GetAccountCommand({})),
      () => client.send(new GetEmailIdentityCommand({ EmailIdentity })),
      () => client.send(new PutEmailIdentityMailFromAttributesCommand({ EmailIdentity })),
      () => client.send(new DeleteEmailIdentityCommand({ EmailIdentity })),
      () => client.send(new CreateEmailIdentityCommand({ EmailIdentity })),
    ];
    const busy = { name: 'TooManyRequestsException', $metadata: { httpStatusCode: 429 } };
    for (const call of calls) {
      await call();
      await expect(call()).rejects.toMatchObject(busy);
    }
    vi.setSystemTime(Date.now() + 1_000);
    for (const call of calls) await call();
    await under.ses.withoutCallLimit(calls[0]!);
    await expect(calls[0]!()).rejects.toMatchObject(busy);
  });

  it('creates a domain unverified, with three DKIM tokens', async () => {
    const created = await under.client.send(new CreateEmailIdentityCommand({ EmailIdentity: 'B.example' }));
    expect(created).toMatchObject({
      IdentityType: 'DOMAIN',
      VerifiedForSendingStatus: false,
      DkimAttributes: { Status: 'PENDING', SigningEnabled: true },
    });
    expect(new Set(created.DkimAttributes?.Tokens).size).toBe(3);
  });

  it('shows a verified domain as verified, DKIM included', async () => {
    await under.client.send(new CreateEmailIdentityCommand({ EmailIdentity: 'b.example' }));
    under.ses.verifyIdentity('b.example');
    const shown = await under.client.send(new GetEmailIdentityCommand({ EmailIdentity: 'b.example' }));
    expect(shown).toMatchObject({
      VerifiedForSendingStatus: true,
      VerificationStatus: 'SUCCESS',
      DkimAttributes: { Status: 'SUCCESS' },
    });
  });

  it('refuses to create an identity twice', async () => {
    const again = under.client.send(new CreateEmailIdentityCommand({ EmailIdentity: 'a.example' }));
    await expect(again).rejects.toMatchObject({ name: 'AlreadyExistsException' });
  });

  it('keeps the tags of an identity, and has one that somebody else made with theirs or none', async () => {
    const tagsOf = async (EmailIdentity: string) =>
      under.ses.withoutCallLimit(
        async () => (await under.client.send(new GetEmailIdentityCommand({ EmailIdentity }))).Tags,
      );
    const Tags = [{ Key: 'made:by', Value: 'us' }];
    await under.client.send(new CreateEmailIdentityCommand({ EmailIdentity: 'c.example', Tags }));
    under.ses.verifyIdentity('d.example', { 'made:by': 'them' });
    expect(await tagsOf('c.example')).toEqual(Tags);
    expect(await tagsOf('d.example')).toEqual([{ Key: 'made:by', Value: 'them' }]);
    expect(await tagsOf('a.example')).toEqual([]);
  });

  it('mails bounces and complaints to the sender until that is switched off', async () => {
    const send = async () => {
      for (const kind of ['bounce', 'complaint', 'success'])
        await under.client.send(new SendEmailCommand(simple(`${kind}@simulator.amazonses.com`)));
      return under.ses.messages({ to: 'ann@a.example' }).map(({ subject }) => subject);
    };
    const mailed = ['Delivery Status Notification (Failure)', 'Complaint about an email that you sent'];
    expect(await send()).toEqual(mailed);
    const off = { EmailIdentity: 'a.example', EmailForwardingEnabled: false };
    await under.client.send(new PutEmailIdentityFeedbackAttributesCommand(off));
    expect(await send()).toEqual(mailed);
  });

  it('answers mail to an address on the suppression list of the account with a bounce', async () => {
    const EmailAddress = 'known@elsewhere.example';
    await under.client.send(new PutSuppressedDestinationCommand({ EmailAddress, Reason: 'BOUNCE' }));
    const send = () => under.client.send(new SendEmailCommand(simple(EmailAddress, { set: 'tracked' })));
    await send();
    await under.client.send(new DeleteSuppressedDestinationCommand({ EmailAddress }));
    await send();
    const events = (await under.published()).map(({ eventType, bounce }) => [eventType, bounce?.bounceSubType]);
    expect(events).toEqual([
      ['Bounce', 'Suppressed'],
      ['Delivery', undefined],
    ]);
    const again = under.client.send(new GetSuppressedDestinationCommand({ EmailAddress }));
    await expect(again).rejects.toMatchObject({ name: 'NotFoundException' });
  });

  it('answers NotFoundException for an unknown or deleted identity', async () => {
    await under.client.send(new DeleteEmailIdentityCommand({ EmailIdentity: 'a.example' }));
    const shown = under.client.send(new GetEmailIdentityCommand({ EmailIdentity: 'a.example' }));
    await expect(shown).rejects.toMatchObject({ name: 'NotFoundException', $metadata: { httpStatusCode: 404 } });
  });

  it('keeps a MAIL FROM domain below the identity and refuses any other', async () => {
    const set = (MailFromDomain: string) =>
      under.ses.withoutCallLimit(() =>
        under.client.send(
          new PutEmailIdentityMailFromAttributesCommand({ EmailIdentity: 'a.example', MailFromDomain }),
        ),
      );
    await set('bounce.a.example');
    const shown = await under.client.send(new GetEmailIdentityCommand({ EmailIdentity: 'a.example' }));
    expect(shown.MailFromAttributes).toMatchObject({ MailFromDomain: 'bounce.a.example' });
    await expect(set('bounce.b.example')).rejects.toMatchObject({ name: 'BadRequestException' });
  });
});
