import { describe, expect, it } from 'vitest';
import { judge } from '../../../shared/domain/copywriting/deliverability.ts';
import { starterHtml, starterTemplates } from '../../../shared/domain/messages/starter-templates.ts';

const text =
  'Hello {{first_name | default: "there"}}, our garden guide for the spring is ready. ' +
  'It says when to sow, how to water, and which plants like shade.';
const unsubscribe = '<a href="{{unsubscribe_url}}">Unsubscribe</a>';
const page = (more = '') => `<p>${text}</p>${more}<p>${unsubscribe}</p>`;
const codes = (content: string, subject?: string) => judge({ content, subject }).issues.map(({ code }) => code);

describe('deliverability', () => {
  it('finds nothing wrong with a good message', () => {
    const { spam_score, issues, verdict, checks_passed } = judge({
      content: page(),
      subject: 'Your garden guide for spring',
    });
    expect([spam_score, issues, verdict]).toEqual([0, [], 'pass']);
    expect(new Set(checks_passed.map(({ code }) => code)).size).toBe(checks_passed.length);
  });

  it('finds nothing wrong with the starter templates', async () => {
    for (const template of starterTemplates)
      expect([template.name, codes(await starterHtml(template))]).toEqual([template.name, []]);
  });

  it.each([
    ['spam_phrases', page('<p>You have won the lottery, act now</p>')],
    ['capitals', page('<p>SAVE ON ALL TODAY</p>')],
    ['exclamation_marks', page('<p>Hi! Yes! Now! Go! You! See!</p>')],
    ['raw_ip_link', page('<a href="https://192.0.2.7/x">x</a>')],
    ['shortened_link', page('<a href="https://bit.ly/x">x</a>')],
    ['mismatched_link', page('<a href="https://evil.example">bank.com</a>')],
    ['insecure_links', page('<a href="http://a.example">x</a>')],
    ['many_links', page('<a href="https://a.example">x</a>'.repeat(30))],
    ['dead_links', page('<a href="#">x</a>')],
    ['dead_links', page('<a href="javascript:alert(1)">x</a>')],
    ['unsubscribe_missing', `<p>${text}</p>`],
    ['unsubscribe_missing', `<p>${text}</p><!-- {{unsubscribe_url}} -->`],
    ['broken_merge_tags', page('<p>Dear {{first name}}</p>')],
    ['broken_merge_tags', page('<p>Dear {{first_name}</p>')],
    ['little_text', `<p>Hi</p>${unsubscribe}`],
    ['image_heavy', `<img src="a.png" alt="All of it">${unsubscribe}`],
    ['missing_alt_text', page('<img src="a.png">')],
    ['message_clipped', page(`<style>${'a{}'.repeat(36_000)}</style>`)],
    ['hidden_text', page(`<div style="display:none">${'word '.repeat(60)}</div>`)],
    ['active_content', page('<script>1</script>')],
    ['active_content', page('<b onclick="x()">x</b>')],
    ['active_content', page('<meta http-equiv="refresh" content="0;url=x">')],
    ['form', page('<form action="x"><input></form>')],
    [
      'readability',
      page(
        `<p>${[
          'Notwithstanding the organizational difficulties, the administration of the organization implemented ',
          'comprehensive infrastructural modifications. ',
        ]
          .join('')
          .repeat(8)}</p>`,
      ),
    ],
  ])('finds %s', (code, content) => {
    expect(codes(content)).toEqual([code]);
  });

  it.each([
    ['subject_spam_phrases', 'You have won a new garden guide'],
    ['subject_capitals', 'OUR GARDEN GUIDE'],
    ['subject_punctuation', 'The garden guide!! Look'],
    ['subject_fake_reply', 'Fwd: the garden guide'],
    ['subject_length', `The garden ${'guide '.repeat(15)}`],
    ['subject_emojis', '🌱🌱🌱 The garden guide'],
  ])('finds %s', (code, subject) => {
    expect(codes(page(), subject)).toEqual([code]);
  });

  it('judges plain text without the checks for HTML', () => {
    expect(codes(`${text}\n\n{{unsubscribe_url}}`)).toEqual([]);
    expect(codes(`${text}\n\nhttps://bit.ly/x`)).toEqual(['unsubscribe_missing', 'shortened_link']);
  });

  const good = { sent: 1_000, bounced: 5, complained: 0, domainVerified: true, suspended: false };
  it.each([
    ['nothing', good, []],
    ['a bounce rate of 3%', { ...good, bounced: 30 }, [['bounce_rate', 6, 'medium']]],
    ['a bounce rate of 20%', { ...good, bounced: 200 }, [['bounce_rate', 30, 'high']]],
    ['a complaint rate of 0.2%', { ...good, complained: 2 }, [['complaint_rate', 15, 'high']]],
    ['no verified domain', { ...good, domainVerified: false }, [['domain_unauthenticated', 25, 'high']]],
    ['a suspension', { ...good, suspended: true }, [['sending_suspended', 40, 'high']]],
    ['rates of too few messages', { ...good, sent: 99, bounced: 50 }, []],
  ])('holds %s against the account', (_what, account, expected) => {
    const { issues, checks_passed } = judge({ content: page() }, account);
    expect(issues.map(({ code, score, severity }) => [code, score, severity])).toEqual(expected);
    expect(checks_passed.length).toBeGreaterThan(10);
  });

  it('warns from 30 points, fails from 60 and stops at 100', () => {
    const shortened = '<a href="https://bit.ly/x">x</a>';
    const verdicts = [page(), page('<script>1</script>'), page(`<script>1</script><form></form>${shortened}`)].map(
      (content) => {
        const { spam_score, verdict } = judge({ content });
        return [spam_score, verdict];
      },
    );
    expect(verdicts).toEqual([
      [0, 'pass'],
      [30, 'warn'],
      [60, 'fail'],
    ]);
    const spam = '<p>YOU HAVE WON the lottery, make money fast</p>';
    const worst = `<script>1</script><form></form>${shortened}<a href="http://192.0.2.1">bank.com</a>${spam}`;
    expect(judge({ content: worst, subject: 'RE: YOU HAVE WON' }).spam_score).toBe(100);
  });
});
