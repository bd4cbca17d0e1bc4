import { expect, it } from 'vitest';
import { inboxPage, messagePage } from '../../local/inbox.ts';

const message = {
  message_id: 'id-1',
  to: 'a@example.com',
  from: 'Shop <s@example.com>',
  reply_to: null,
  subject: '<script>alert(1)</script>',
  html: '<p title="x">Hello & welcome</p>',
  text: 'Hello',
  headers: { 'List-Unsubscribe': '<https://example.com/u>' },
  tags: { campaign: '7' },
  accepted_at: '2026-11-20T10:00:00.000+00:00',
};

it('lists messages newest first, with everything a sender wrote escaped', () => {
  const page = inboxPage([message, { ...message, message_id: 'id-2', subject: 'Newer' }], '"><b>');
  expect(page.indexOf('Newer')).toBeLessThan(page.indexOf('&lt;script&gt;alert(1)'));
  expect(page).not.toContain('<script');
  expect(page).not.toContain('"><b>');
  expect(page).toContain('2 messages');
});

it('shows a message with headers, tags and text, and its HTML in a frame that runs no scripts', () => {
  const page = messagePage(message);
  expect(page).toContain('<dt>List-Unsubscribe</dt><dd>&lt;https://example.com/u&gt;</dd>');
  expect(page).toContain('<dt>tag: campaign</dt><dd>7</dd>');
  const [frame] = /<iframe[^>]*>/.exec(page) ?? [''];
  expect(frame).toContain('&lt;p title=&quot;x&quot;&gt;Hello &amp; welcome&lt;/p&gt;');
  expect(frame).toMatch(/ sandbox="(?![^"]*allow-scripts)(?![^"]*allow-same-origin)/);
  expect(messagePage(undefined)).toContain('There is no such message');
});
