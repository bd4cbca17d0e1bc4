import { expect, it } from 'vitest';
import { eventId } from '../../../shared/domain/events/delivery-event.ts';
import { fromSes, type SesRecord } from '../../../shared/domain/events/ses-event.ts';

const at = '2026-11-20T10:00:00.000Z';
const ours = '2026-11-20T10:00:00.000+00:00';
const mail = {
  messageId: '0100-abc',
  timestamp: '2026-11-20T09:59:59.000Z',
  destination: ['Ann@Example.com'],
  tags: { team: ['7'], campaign: ['12'], page: ['3'], index: ['4'], 'ses:operation': ['SendBulkEmail'] },
};
const read = (record: Partial<SesRecord>) => fromSes({ mail, ...record } as SesRecord);
const bounce = (bounceType: string, emailAddress = 'ann@example.com') => ({
  eventType: 'Bounce',
  bounce: {
    timestamp: at,
    bounceType,
    bounceSubType: 'General',
    bouncedRecipients: [{ emailAddress, diagnosticCode: 'smtp; 550 no such user' }],
  },
});

it('finds team and campaign in the tags of the message', () => {
  const delivery = { timestamp: at, recipients: ['Ann@Example.com'], smtpResponse: '250 ok' };
  expect(read({ eventType: 'Delivery', delivery })).toEqual([
    {
      team_id: 7,
      email: 'ann@example.com',
      event: 'delivered',
      campaign_id: 12,
      contact_id: null,
      provider: 'ses',
      source: 'provider',
      confirmed: true,
      metadata: { smtp_response: '250 ok', provider_event_id: `0100-abc:${ours}` },
      occurred_at: ours,
      place: 154,
    },
  ]);
});

it.each([
  ['Permanent', 'hard'],
  ['Undetermined', 'hard'],
  ['Transient', 'soft'],
])('reads a %s bounce as a %s one, with its reason', (type, kind) => {
  const [event] = read(bounce(type));
  expect(event).toMatchObject({
    event: 'bounced',
    metadata: { bounce_type: kind, bounce_sub_type: 'General', reason: 'smtp; 550 no such user' },
  });
});

it.each<[Partial<SesRecord>, string, object]>([
  [
    {
      eventType: 'Complaint',
      complaint: { timestamp: at, complainedRecipients: [{ emailAddress: 'ann@example.com' }] },
    },
    'spam_report',
    {},
  ],
  [
    {
      eventType: 'DeliveryDelay',
      deliveryDelay: {
        timestamp: at,
        delayType: 'MailboxFull',
        delayedRecipients: [{ emailAddress: 'ann@example.com' }],
      },
    },
    'deferred',
    { reason: 'MailboxFull' },
  ],
  [{ eventType: 'Reject', reject: { reason: 'Bad content' } }, 'dropped', { reason: 'Bad content' }],
  [{ eventType: 'Rendering Failure', failure: { errorMessage: 'no slot' } }, 'dropped', { reason: 'no slot' }],
  [
    {
      eventType: 'Open',
      open: { timestamp: at, userAgent: 'Reader/1', ipAddress: '192.0.2.1', isBotEvent: 'Unlikely' },
    },
    'opened',
    { user_agent: 'Reader/1', ip: '192.0.2.1' },
  ],
  [
    { eventType: 'Click', click: { timestamp: at, link: 'https://x.example', isBotEvent: 'Likely' } },
    'clicked',
    { url: 'https://x.example', bot: true },
  ],
])('reads %j', (record, event, metadata) => {
  const [found] = read(record);
  expect(found).toMatchObject({ event, email: 'ann@example.com', metadata });
});

it('makes one event per recipient', () => {
  const recipients = ['a@example.com', 'b@example.com'];
  const delivery = { timestamp: at, recipients };
  const events = fromSes({ eventType: 'Delivery', delivery, mail: { ...mail, destination: recipients } });
  expect(events.map(({ email }) => email)).toEqual(recipients);
  expect(new Set(events.map(eventId)).size).toBe(2);
});

it('keeps the address that we mailed when a forwarded message bounces elsewhere', () => {
  expect(read(bounce('Permanent', 'forwarded@example.net')).map(({ email }) => email)).toEqual(['ann@example.com']);
});

it('ignores a "not spam" report, and does not trust an undetermined bounce', () => {
  const complainedRecipients = [{ emailAddress: 'ann@example.com' }];
  const complaint = { timestamp: at, complainedRecipients, complaintFeedbackType: 'not-spam' };
  expect(read({ eventType: 'Complaint', complaint })).toEqual([]);
  expect(read(bounce('Undetermined'))[0]!.confirmed).toBe(false);
  expect(read(bounce('Permanent'))[0]!.confirmed).toBe(true);
});

it('ignores other event types, and mail that is not ours', () => {
  expect(read({ eventType: 'Send' })).toEqual([]);
  expect(read({ eventType: 'Subscription' })).toEqual([]);
  expect(fromSes({ ...bounce('Permanent'), mail: { ...mail, tags: {} } })).toEqual([]);
  expect(fromSes({ ...bounce('Permanent'), mail: { ...mail, tags: { team: ['x'] } } })).toEqual([]);
});

it('gives the same report the same id, and different ones different ids', () => {
  const click = (link: string) => read({ eventType: 'Click', click: { timestamp: at, link } })[0]!;
  expect(eventId(click('https://x.example'))).toBe(eventId(click('https://x.example')));
  expect(eventId(click('https://x.example'))).not.toBe(eventId(click('https://y.example')));
  expect(eventId(read(bounce('Permanent'))[0]!)).not.toBe(
    eventId(fromSes({ ...bounce('Permanent'), mail: { ...mail, messageId: 'another' } })[0]!),
  );
  expect(Number.isSafeInteger(eventId(click('https://x.example')))).toBe(true);
});
