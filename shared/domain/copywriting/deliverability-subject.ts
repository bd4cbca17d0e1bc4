import { shoutedWords } from '../messages/shouting.ts';
import type { Check } from './deliverability-check.ts';
import { spamPhrases } from './spam-phrases.ts';
import { asRead, subjectTraits } from './subject-traits.ts';

/** Judges a subject line as a filter does. */
export function subjectChecks(subject: string): Check[] {
  const read = asRead(subject);
  const { length, emojis } = subjectTraits(subject);
  const known = spamPhrases(read);
  const weight = known.reduce((sum, phrase) => sum + phrase.weight, 0);
  const letters = read.match(/\p{Lu}|\p{Ll}/gu) ?? [];
  const capitals = letters.length >= 8 && letters.every((letter) => /\p{Lu}/u.test(letter));
  const shouted = shoutedWords(read);
  const marks = read.match(/!/g)?.length ?? 0;
  return [
    known.length > 0
      ? {
          code: 'subject_spam_phrases',
          points: Math.min(20, weight * 4),
          problem: `The subject says what is known from spam: ${known.map(({ phrase }) => `"${phrase}"`).join(', ')}.`,
          remedy: 'Say what the message holds in words of your own.',
        }
      : { code: 'subject_spam_phrases', fine: 'The subject has no phrase known from spam.' },
    capitals || shouted.length > 1
      ? {
          code: 'subject_capitals',
          points: capitals ? 12 : 6,
          problem: capitals ? 'The subject is all in capitals.' : `The subject shouts: ${shouted.join(', ')}.`,
          remedy: 'Write it as a sentence.',
        }
      : { code: 'subject_capitals', fine: 'The subject does not shout.' },
    marks > 1 || /[$€£]{2,}|\?{2,}/.test(read)
      ? {
          code: 'subject_punctuation',
          points: 6,
          problem: 'The subject repeats exclamation marks or other signs.',
          remedy: 'One sign is enough.',
        }
      : { code: 'subject_punctuation', fine: 'The punctuation of the subject is moderate.' },
    /^\s*(?:re|fwd?|aw|wg)\s*:/i.test(read)
      ? {
          code: 'subject_fake_reply',
          points: 20,
          problem: 'The subject pretends to be a reply or a forward.',
          remedy: 'Take the "Re:" or "Fwd:" away.',
        }
      : { code: 'subject_fake_reply', fine: 'The subject does not pretend to be a reply.' },
    length > 75 || length < 5
      ? {
          code: 'subject_length',
          points: 3,
          problem: `The subject has ${length} characters.`,
          remedy: '25 to 60 characters are shown whole in most mail programs.',
        }
      : { code: 'subject_length', fine: `The subject has ${length} characters.` },
    emojis > 2
      ? {
          code: 'subject_emojis',
          points: 5,
          problem: `The subject has ${emojis} emojis.`,
          remedy: 'Use one or none.',
        }
      : { code: 'subject_emojis', fine: 'The subject has few emojis or none.' },
  ];
}
