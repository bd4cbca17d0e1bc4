import { shoutedWords } from '../messages/shouting.ts';
import { type Check, check } from './deliverability-check.ts';
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
    check(
      'subject_spam_phrases',
      Math.min(20, weight * 4),
      `The subject says what is known from spam: ${known.map(({ phrase }) => `"${phrase}"`).join(', ')}.`,
      'Say what the message holds in words of your own.',
      'The subject has no phrase known from spam.',
    ),
    check(
      'subject_capitals',
      capitals ? 12 : shouted.length > 1 ? 6 : 0,
      capitals ? 'The subject is all in capitals.' : `The subject shouts: ${shouted.join(', ')}.`,
      'Write it as a sentence.',
      'The subject does not shout.',
    ),
    check(
      'subject_punctuation',
      marks > 1 || /[$€£]{2,}|\?{2,}/.test(read) ? 6 : 0,
      'The subject repeats exclamation marks or other signs.',
      'One sign is enough.',
      'The punctuation of the subject is moderate.',
    ),
    check(
      'subject_fake_reply',
      /^\s*(?:re|fwd?|aw|wg)\s*:/i.test(read) ? 20 : 0,
      'The subject pretends to be a reply or a forward.',
      'Take the "Re:" or "Fwd:" away.',
      'The subject does not pretend to be a reply.',
    ),
    check(
      'subject_length',
      length > 75 || length < 5 ? 3 : 0,
      `The subject has ${length} characters.`,
      '25 to 60 characters are shown whole in most mail programs.',
      `The subject has ${length} characters.`,
    ),
    check(
      'subject_emojis',
      emojis > 2 ? 5 : 0,
      `The subject has ${emojis} emojis.`,
      'Use one or none.',
      'The subject has few emojis or none.',
    ),
  ];
}
