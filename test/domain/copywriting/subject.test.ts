import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { learnFrom } from '../../../shared/domain/copywriting/subject-history.ts';
import { scoreSubject } from '../../../shared/domain/copywriting/subject-score.ts';
import { testSubject } from '../../../shared/domain/copywriting/subject-test.ts';
import { tagsIn } from '../../../shared/domain/copywriting/subject-traits.ts';
import { acceptable, subjectVariations } from '../../../shared/domain/copywriting/subject-variations.ts';

const score = (subject: string) => scoreSubject(subject).score;
const name = '{{first_name | default: "Hello"}}';

describe('the score of a subject line', () => {
  it.each([
    ['a good length', 'Five ways to water your garden less', 'Water'],
    [
      'a good length over a very long one',
      'Five ways to water your garden less',
      `Five ways to water ${'your garden '.repeat(6)}`,
    ],
    ['words over shouting', 'Our summer sale starts on Friday', 'OUR SUMMER SALE STARTS ON FRIDAY'],
    ['quiet over loud', 'Our summer sale starts on Friday', 'Our summer sale starts on Friday!!!'],
    ['its own words over spam', 'What we do for your garden this year', 'Make money fast in your garden this year'],
    ['honesty over a pretended reply', 'About the order of your new garden', 'Re: the order of your new garden'],
    ['one emoji over many', '🌱 Our garden guide for the summer', '🌱🌱🌱🌱 Our garden guide for the summer'],
    ['a name', 'Ann, the garden guide is ready now'.replace('Ann', name), 'Ann, the garden guide is ready now'],
    [
      'a name with a fallback over one without',
      `${name}, the garden guide is ready`,
      '{{first_name}}, the garden guide is ready',
    ],
    ['a question', 'Is the garden guide ready for April?', 'Now the garden guide is out for April'],
    ['a number', 'Find 7 better ways to water a garden', 'Find six better ways to water gardens'],
    ['something over nothing', 'The garden in May: what to sow', 'Newsletter'],
  ])('prefers %s', (_what, better, worse) => {
    expect(score(better)).toBeGreaterThan(score(worse));
  });

  it('stays between 0 and 100 for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 255 }), (subject) => {
        expect(score(subject)).toBeGreaterThanOrEqual(0);
        expect(score(subject)).toBeLessThanOrEqual(100);
      }),
    );
  });
});

describe('variations', () => {
  it.each([
    [
      'Save 20% on shoes',
      [`${name}, save 20% on shoes`, 'Ready to save 20% on shoes?', 'Your chance to save 20% on shoes'],
    ],
    [
      'How to grow tomatoes',
      [`${name}, here's how to grow tomatoes`, 'Want to know how to grow tomatoes?', "Here's how to grow tomatoes"],
    ],
    [
      'March news: five ways to save water',
      ['Five ways to save water (March news)', `${name}, March news: five ways to save water`],
    ],
    [
      'Our spring collection is here',
      [
        `${name}, our spring collection is here`,
        'For you: our spring collection is here',
        'Take a look: our spring collection is here',
      ],
    ],
    ['Why do cats purr', [`${name}, why do cats purr?`, 'Why do cats purr?']],
    ['Berlin in May', [`${name}, Berlin in May`, 'For you: Berlin in May', 'Take a look: Berlin in May']],
    [
      'Announcing our summer sale in all shops – everything must go',
      [
        'Announcing our summer sale in all shops',
        `${name}, Announcing our summer sale in all shops – everything must go`,
      ],
    ],
  ])('of "%s"', (subject, expected) => {
    expect(subjectVariations(subject)).toEqual(expected);
  });

  it('remove shouting and fake replies', () => {
    expect(subjectVariations('RE: BIG SALE IN OUR SHOP TODAY!!!')[0]).toBe('Big sale in our shop today');
  });

  it('of another language are only made calmer or shorter', () => {
    expect(subjectVariations('Der Frühling ist da')).toEqual([]);
    expect(subjectVariations('Der Frühling ist da!!!')).toEqual(['Der Frühling ist da']);
  });

  it('keep every merge tag, fit a header and differ from each other, whatever the subject', () => {
    const word = fc.constantFrom(
      'Save',
      'our',
      '{{first_name}}',
      'SALE',
      '20%',
      'garden',
      '–',
      ':',
      '!',
      '?',
      '🔥',
      'Re:',
      'how to',
      'why',
      '{{metadata.city | default: "town"}}',
      'Berlin',
    );
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 14 }), (words) => {
        const subject = words.join(' ').slice(0, 255);
        const { variations, winning_subject, original_score, best_score } = testSubject(subject, { lifts: [] });
        const all = variations.map((variation) => variation.subject);
        expect(new Set(all).size).toBe(all.length);
        for (const line of all) {
          for (const tag of tagsIn(subject)) expect(line).toContain(tag);
          expect(line.length).toBeLessThanOrEqual(255);
          expect(line).not.toMatch(/[\r\n]|\s{2}|^\s|\s$/);
        }
        expect(best_score).toBe(Math.max(original_score, ...variations.map((variation) => variation.score)));
        expect(winning_subject === subject).toBe(best_score === original_score);
      }),
    );
  });

  it('that were proposed must be valid subject lines', () => {
    const proposed = [
      'Good one for {{x}}',
      'a\nb {{x}}',
      'no tag',
      '{{x}} {{y}} more',
      'https://a.example {{x}}',
      'Good one for  {{x}}',
      'Bad {{ {{x}}',
    ];
    expect(acceptable('Old {{x}}', proposed)).toEqual(['Good one for {{x}}']);
    expect(acceptable('Old line', ['x'.repeat(121), 'New line'])).toEqual(['New line']);
  });
});

describe('history', () => {
  const campaigns = (count: number, rate: (index: number) => number, subject: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => ({
      subject: subject(index),
      delivered: 1_000,
      opened: 1_000 * rate(index),
    }));
  const question = (index: number) => (index % 2 ? 'Is the garden ready?' : 'The garden is ready');

  it('is too short below five usable campaigns, and reports it', () => {
    expect(learnFrom(campaigns(4, () => 0.2, question)).note).toContain('too short');
    const small = campaigns(9, () => 0.2, question).map((campaign) => ({ ...campaign, delivered: 10, opened: 2 }));
    expect(learnFrom(small).note).toContain('0 of the 5');
  });

  it('raises traits that are opened more and lowers the others, the more campaigns the further', () => {
    const [few, many] = [6, 40].map(
      (count) => learnFrom(campaigns(count, (index) => (index % 2 ? 0.23 : 0.2), question)).lifts[0]!,
    );
    expect(few!.reason).toMatch(/your subjects with a question are opened \d+% more/);
    expect(many!.points).toBeGreaterThan(few!.points);
    const [worse] = learnFrom(campaigns(10, (index) => (index % 2 ? 0.1 : 0.2), question)).lifts;
    expect([worse!.points < 0, worse!.reason]).toEqual([true, expect.stringContaining('% less')]);
  });

  it('learns nothing without a difference, without opens, or from one campaign of a kind', () => {
    expect(learnFrom(campaigns(10, () => 0.2, question)).lifts).toEqual([]);
    expect(learnFrom(campaigns(10, () => 0, question)).note).toContain('nobody');
    expect(
      learnFrom(
        campaigns(
          10,
          (index) => (index ? 0.2 : 0.9),
          (index) => (index ? 'The garden' : 'Ready?'),
        ),
      ).lifts,
    ).toEqual([]);
  });

  it('changes a score by at most twelve points, and is the first reason', () => {
    const history = learnFrom(campaigns(60, (index) => (index % 2 ? 0.9 : 0.05), question));
    const [plain, learned] = [scoreSubject('Is it ready for us?'), scoreSubject('Is it ready for us?', history.lifts)];
    expect(learned.score - plain.score).toBeCloseTo(12);
    expect(learned.reasons[0]).toContain('your subjects with a question');
  });
});
