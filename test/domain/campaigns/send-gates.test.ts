import { expect, it } from 'vitest';
import { blockers, type GateFacts } from '../../../shared/domain/campaigns/send-gates.ts';

const all = (count: number) => ({ count, exact: true });

const ready: GateFacts = {
  campaign: {
    name: 'News',
    subject: 'Hello',
    from_email: 'news@shop.example',
    audience_source: 'list',
    ab_test_enabled: false,
  },
  content: { html_content: '<a href="{{ unsubscribe_url }}">x</a>', plain_content: null },
  domainVerified: true,
  audienceFound: true,
  warehouseConfigured: false,
  recipients: all(10),
  allowanceLeft: 10,
  team: [],
  variants: 0,
};
const campaign = (changed: Partial<GateFacts['campaign']>) => ({ campaign: { ...ready.campaign, ...changed } });

it('passes a complete campaign, up to the last email of the allowance, and without a limit', () => {
  expect(blockers(ready)).toEqual([]);
  expect(blockers({ ...ready, allowanceLeft: null, recipients: all(10_000_000) })).toEqual([]);
  expect(blockers({ ...ready, content: { plain_content: 'Bye: {{unsubscribe_url}}' } })).toEqual([]);
  const visible = '<!--[if !mso]><!--><a href=\'{{unsubscribe_url | default: "none"}}\'>x</a><!--<![endif]-->';
  expect(blockers({ ...ready, content: { html_content: visible } })).toEqual([]);
  expect(blockers({ ...ready, ...campaign({ ab_test_enabled: true, subject: null }), variants: 2 })).toEqual([]);
  const warehouse = { ...campaign({ audience_source: 'warehouse' }), warehouseConfigured: true };
  expect(blockers({ ...ready, ...warehouse, audienceFound: false, recipients: null })).toEqual([]);
});

it.each<[string, Partial<GateFacts>]>([
  ['abuse_screening_failed', { team: ['abuse_screening_failed'] }],
  ['name_missing', campaign({ name: '' })],
  ['subject_missing', campaign({ subject: null })],
  ['content_missing', { content: undefined }],
  ['content_missing', { content: { html_content: '', plain_content: null } }],
  ['from_email_missing', { ...campaign({ from_email: null }), domainVerified: false }],
  ['sending_domain_unverified', { domainVerified: false }],
  ['unsubscribe_link_missing', { content: { html_content: '<p>Hi</p>' } }],
  // Most readers see the HTML: a link in the text part alone is not enough.
  ['unsubscribe_link_missing', { content: { html_content: '<p>Hi</p>', plain_content: '{{unsubscribe_url}}' } }],
  ['unsubscribe_link_missing', { content: { html_content: '{{unsubscribe_urls}}' } }],
  ['unsubscribe_link_missing', { content: { html_content: '<p>Hi</p><!-- {{unsubscribe_url}} -->' } }],
  ['unsubscribe_link_missing', { content: { html_content: '{{first_name | default: "unsubscribe_url"}}' } }],
  ['audience_missing', { audienceFound: false, recipients: all(0) }],
  ['audience_empty', { recipients: all(0) }],
  ['plan_allowance_exceeded', { recipients: all(11) }],
  ['plan_allowance_exceeded', { recipients: all(1), allowanceLeft: 0 }],
  ['variants_missing', { ...campaign({ ab_test_enabled: true }), variants: 1 }],
  ['warehouse_not_configured', { ...campaign({ audience_source: 'warehouse' }), recipients: null }],
  ['sending_suspended', { team: ['sending_suspended'] }],
  ['sandboxed', { team: ['sandboxed'] }],
])('names %s, and nothing else, when only that is unmet', (word, facts) => {
  expect(blockers({ ...ready, ...facts })).toEqual([word]);
});

it('names every blocker of an empty draft', () => {
  expect(
    blockers({
      ...ready,
      ...campaign({ subject: null, from_email: null }),
      content: undefined,
      domainVerified: false,
      audienceFound: false,
      recipients: all(0),
    }),
  ).toEqual(['subject_missing', 'content_missing', 'from_email_missing', 'audience_missing']);
});

it('leaves to the snapshot what was not counted in time, and refuses what was counted already', () => {
  const counted = (count: number) => blockers({ ...ready, recipients: { count, exact: false } });
  expect([counted(0), counted(10), counted(11)]).toEqual([[], [], ['plan_allowance_exceeded']]);
});
