import { shoutedWords } from '../messages/shouting.ts';
import { spamPhrases } from './spam-phrases.ts';
import type { Lift } from './subject-history.ts';
import { asRead, type SubjectTraits, subjectTraits } from './subject-traits.ts';

/** The points that a rule gives or takes, and a short reason. */
interface Finding {
  points: number;
  reason: string;
}

/** The score of a subject line. */
export interface SubjectScore {
  /** 0 to 100, one decimal. */
  score: number;
  /** Weightiest first. */
  reasons: string[];
}

const start = 60;

/** Scores a subject line by rules, and by the team's own open rates where they are known. */
export function scoreSubject(subject: string, lifts: readonly Lift[] = []): SubjectScore {
  const traits = subjectTraits(subject);
  const own = lifts.filter(({ applies }) => applies(traits)).map(({ points, reason }): Finding => ({ points, reason }));
  const findings = [...byRules(subject, traits), ...own].filter(({ points }) => points !== 0);
  const total = findings.reduce((sum, { points }) => sum + points, start);
  // Measured reasons come before the rules'.
  const weight = (finding: Finding) => Math.abs(finding.points) + (own.includes(finding) ? 100 : 0);
  return {
    score: Math.round(Math.min(100, Math.max(0, total)) * 10) / 10,
    reasons: findings.sort((a, b) => weight(b) - weight(a)).map(({ reason }) => reason),
  };
}

function byRules(subject: string, traits: SubjectTraits): Finding[] {
  const read = asRead(subject);
  const shouted = shoutedWords(read);
  const letters = read.match(/\p{L}/gu) ?? [];
  const allCapitals =
    letters.length >= 8 &&
    letters.every((letter) => letter === letter.toUpperCase() && letter !== letter.toLowerCase());
  const marks = read.match(/!/g)?.length ?? 0;
  const rules: (Finding | false)[] = [
    lengthFinding(traits.length),
    traits.words >= 4 && traits.words <= 9 && { points: 5, reason: `${traits.words} words, read at a glance` },
    ...spamPhrases(read)
      .slice(0, 3)
      .map(({ phrase, weight }) => ({ points: -6 - 4 * weight, reason: `"${phrase}" is known from spam` })),
    allCapitals
      ? { points: -20, reason: 'all in capitals' }
      : shouted.length > 0 && { points: -10, reason: `"${shouted[0]}" is shouted` },
    marks > 1
      ? { points: -12, reason: `${marks} exclamation marks` }
      : marks === 1 && { points: -3, reason: 'an exclamation mark' },
    /[$€£]{2,}|\?{2,}/.test(read) && { points: -8, reason: 'repeated signs' },
    traits.emojis > 2
      ? { points: -8, reason: `${traits.emojis} emojis` }
      : traits.emojis === 1 && { points: 2, reason: 'one emoji' },
    traits.personal &&
      (traits.bareTag
        ? { points: 3, reason: 'personal, but says nothing where the value is missing' }
        : { points: 8, reason: 'speaks to the reader by name' }),
    traits.question && { points: 4, reason: 'asks a question' },
    traits.number && { points: 4, reason: 'names a number' },
    traits.addressed && { points: 3, reason: 'speaks of the reader' },
    /^\s*(?:re|fwd?|aw|wg)\s*:/i.test(read) && { points: -25, reason: 'pretends to be a reply or a forward' },
    /^\s*(?:newsletter|news|update|hello|hi|test)\b[^\p{L}]*$/iu.test(read) && {
      points: -12,
      reason: 'says nothing of what is inside',
    },
  ];
  return rules.filter((finding) => finding !== false);
}

function lengthFinding(length: number): Finding {
  if (length < 15) return { points: -8, reason: `only ${length} characters: it says little` };
  if (length < 25) return { points: 0, reason: '' };
  if (length < 35) return { points: 8, reason: `${length} characters, shown whole on a phone` };
  if (length <= 50)
    return { points: 15, reason: `${length} characters, the length that is shown whole nearly everywhere` };
  if (length <= 60) return { points: 6, reason: `${length} characters: phones cut it off after about 40` };
  if (length <= 75) return { points: -2, reason: `${length} characters: phones and narrow lists cut it off` };
  return { points: -14, reason: `${length} characters: most mail programs cut it off` };
}
