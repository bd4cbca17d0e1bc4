import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { polish } from '../../../shared/domain/copywriting/polish.ts';
import { type PolishWish, polishGoals, polishTones } from '../../../shared/domain/copywriting/polish-options.ts';
import { messageParts } from '../../../shared/domain/messages/message-parts.ts';
import { calmed } from '../../../shared/domain/messages/shouting.ts';
import { starterHtml, starterTemplates } from '../../../shared/domain/messages/starter-templates.ts';
import { expectGrowth } from '../../support/growth.ts';

describe('polish', () => {
  it.each<[string, string, PolishWish]>([
    ['In order to win, utilize it prior to Monday.', 'To win, use it before Monday.', {}],
    ['We are here due to the fact that IN ORDER TO is long.', 'We are here because TO is long.', {}],
    ['The majority of our users and the majority of people agree.', 'Most of our users and most people agree.', {}],
    ['We are writing to inform you that our shop moves.', 'Our shop moves.', {}],
    ['Good news: please note that it moves.', 'Good news: please note that it moves.', {}],
    ['Get your free gift and the end result!!! Really???', 'Get your gift and the result! Really?', {}],
    ['ACT NOW and SAVE. NASA and the API stay.', 'Act now and save. NASA and the API stay.', {}],
    [
      "Hey Ann! We can't wait, it's been long and it's great!",
      'Hello Ann. We cannot wait, it has been long and it is great.',
      { tone: 'formal' },
    ],
    ["Don't you agree? Many thanks.", "Don't you agree? Many thanks.", { tone: 'formal' }],
    ['One! Two! Three!', 'One! Two. Three.', { tone: 'professional' }],
    [
      'We will not stop. You are great. I know who you are.',
      "We won't stop. You're great. I know who you are.",
      { tone: 'casual' },
    ],
    ['We’re here and it is not far.', 'We’re here and it isn’t far.', { tone: 'friendly' }],
    [
      'Dear valued customer, you must be 18. You must confirm it.',
      'Hello, you must be 18. Please confirm it.',
      { goal: 'warmth' },
    ],
    [
      'It is a very good, really nice day. Thank you very much.',
      'It is a very good, nice day. Thank you very much.',
      { goal: 'brevity' },
    ],
    ['Please feel free to call. You might want to sit.', 'Please call. You can sit.', { goal: 'conversion' }],
    ['We leverage our skills and obtain numerous wins.', 'We use our skills and get many wins.', { goal: 'clarity' }],
  ])('turns "%s" into "%s"', (before, after, wish) => {
    expect(polish(before, wish).content).toBe(after);
  });

  it('touches words only: no tag, attribute, link, address or merge tag, and no code', () => {
    const content =
      '<a title="in order to" href="https://example.com/in-order-to?utilize=1">Go</a><p>{{x | default: "in ' +
      'order to"}} https://utilize.com/prior to@utilize.com</p><pre>in order ' +
      'to</pre><script>"utilize"</script>';
    expect(polish(content).content).toBe(content);
  });

  it('reports what it changed, where, and how often', () => {
    const { suggestions } = polish('<p>We came in order to see. You came in order to win. It was seen by all.</p>');
    expect(suggestions).toContain(
      'Wrote "to" for "in order to" (shorter) in "We came in order to see. You came in order to win.…", 2 times.',
    );
    expect(suggestions).toContain('Say who does it instead of "was seen" in "It was seen by all.".');
  });

  it('advises according to the goal', () => {
    const advice = (goal: PolishWish['goal'], html: string) => polish(html, { goal }).suggestions.join('\n');
    expect(advice('conversion', '<p>We have a new shop for you.</p>')).toContain('Add one link');
    expect(advice('engagement', '<p>We have our shop. Our team and we are happy.</p>')).toMatch(
      /reader[\s\S]*question[\s\S]*first_name/,
    );
    expect(advice('warmth', '<p>Do not reply to this email.</p>')).toContain('Invite answers');
    expect(advice('brevity', `<p>${'We go out. '.repeat(100)}</p>`)).toContain('300 words');
    expect(advice('clarity', '<p>You can <a href="https://x.example">click here</a> to see it.</p>')).toContain(
      '"click here"',
    );
  });

  it('calms a text in another language and rewords nothing', () => {
    const { content, suggestions } = polish(
      'Wir freuen uns auf Sie und die neue Saison!!! Es ist Zeit für den Garten.',
      { tone: 'friendly' },
    );
    expect(content).toBe('Wir freuen uns auf Sie und die neue Saison! Es ist Zeit für den Garten.');
    expect(suggestions.join()).toContain('does not read as English');
  });

  it('gives a plain text a better score than a heavy one', () => {
    const plain = polish(
      'We have good news. Our shop is open on Sunday. Come and see what is new. There is tea and cake for you.',
    );
    const heavy = polish(
      'It has been determined that organizational modifications necessitating comprehensive infrastructural ' +
        'investigations were undertaken by the administration, whereupon additional documentation requirements ' +
        'were subsequently communicated to participating international stakeholders and intermediaries ' +
        'everywhere.',
    );
    expect(plain.score).toBeGreaterThan(90);
    expect(heavy.score).toBeLessThan(50);
  });

  it('is idempotent, and keeps what it must not touch, for every tone and goal', async () => {
    const phrase = fc.constantFrom(
      'In order to win, ',
      "we don't go. ",
      'You are great! ',
      'It is a test. ',
      'ACT NOW!!! ',
      '{{first_name | default: "in order to"}} ',
      '<b>',
      '</b>',
      '<p>',
      '</p>',
      '<a href="https://x.example/?a=1&amp;b=in order to">',
      '</a>',
      'Please feel free to ',
      'call us. ',
      'I am writing to inform you that ',
      'we cannot come ',
      'Thank you for ',
      'very nice ',
      'Hi Ann, ',
      'you must ',
      'confirm. ',
      '&amp; ',
      'a free gift ',
      'what you are ',
      'can not only ',
      'https://utilize.com ',
      "let's go ",
      'gonna utilize numerous ',
    );
    const wish = fc.record({
      tone: fc.option(fc.constantFrom(...polishTones)),
      goal: fc.option(fc.constantFrom(...polishGoals)),
    });
    const kept = (html: string) => {
      const { links } = messageParts(html);
      return [
        html.match(/\{\{[^{}]*\}\}/g),
        html.match(/<[^>]*>/g),
        html.match(/https?:\/\/[^\s"<]+/g),
        links.map(({ href }) => href),
      ];
    };
    fc.assert(
      fc.property(fc.array(phrase, { minLength: 1, maxLength: 25 }), wish, (phrases, wished) => {
        const before = `<p>${phrases.join('')}</p>`;
        const after = polish(before, wished);
        expect(kept(after.content)).toEqual(kept(before));
        expect(polish(after.content, wished).content).toBe(after.content);
        expect(after.score).toBeGreaterThanOrEqual(0);
        expect(after.score).toBeLessThanOrEqual(100);
      }),
      { numRuns: 300 },
    );
    for (const template of starterTemplates) {
      const html = await starterHtml(template);
      expect(kept(polish(html).content)).toEqual(kept(html));
    }
  });
});

it('shows a few words around a change, whatever separates them', () => {
  const { suggestions } = polish('in\norder\nto\n'.repeat(200));
  expect(suggestions[0]).toContain('in "in order to in order to in order to in order…", 200 times.');
  expect(Math.max(...suggestions.map(({ length }) => length))).toBeLessThan(300);
});

it('tells where a shouted word stands from a bounded part of what precedes it', () => {
  expectGrowth((length) => () => calmed('NOW! '.repeat(length / 5)));
  expectGrowth((length) => () => calmed(`and${' '.repeat(length)}NOW`));
});

it('tells where a shouted word stands however wide the gap before it is', () => {
  for (const gap of [1, 99, 101, 1_000]) {
    expect(calmed(`We have it and${' '.repeat(gap)}NOW you know`)).toBe(`We have it and${' '.repeat(gap)}now you know`);
    expect(calmed(`We have it.${' '.repeat(gap)}NOW you know`)).toBe(`We have it.${' '.repeat(gap)}Now you know`);
    expect(calmed(`${' '.repeat(gap)}NOW you know`, 'and')).toBe(`${' '.repeat(gap)}now you know`);
  }
});
