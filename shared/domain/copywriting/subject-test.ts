import type { SubjectHistory } from './subject-history.ts';
import { scoreSubject } from './subject-score.ts';
import { subjectVariations } from './subject-variations.ts';

/** Variations that one answer holds. */
export const maxVariations = 5;

/** Another way to say a subject line, and how it does. */
interface Variation {
  subject: string;
  score: number;
  reason: string;
}

/** A subject line tested. */
export interface SubjectTest {
  /** The best first. */
  variations: Variation[];
  winning_subject: string;
  original_score: number;
  best_score: number;
}

/** Judges a subject line and other ways to say it: those that were proposed, else our own. It wins itself where nothing does better. */
export function testSubject(
  subject: string,
  history: SubjectHistory,
  proposed: readonly string[] = subjectVariations(subject),
): SubjectTest {
  const original = scoreSubject(subject, history.lifts);
  const variations = proposed
    .map((line): Variation => {
      const { score, reasons } = scoreSubject(line, history.lifts);
      return {
        subject: line,
        score,
        reason: sentence([...reasons.slice(0, 3), ...(history.note ? [history.note] : [])]),
      };
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, maxVariations);
  const best = variations[0];
  const wins = best !== undefined && best.score > original.score;
  return {
    variations,
    winning_subject: wins ? best.subject : subject,
    original_score: original.score,
    best_score: wins ? best.score : original.score,
  };
}

function sentence(reasons: readonly string[]): string {
  const text = reasons.join('; ') || 'nothing speaks for or against it';
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}
