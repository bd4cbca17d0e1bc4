import type { SubjectHistory } from './subject-history.ts';
import { scoreSubject } from './subject-score.ts';
import { subjectVariations } from './subject-variations.ts';

/** The maximum number of variations. */
export const maxVariations = 5;

/** Another wording of a subject line, with its score. */
interface Variation {
  subject: string;
  score: number;
  reason: string;
}

/** The result of testing a subject line. */
export interface SubjectTest {
  /** Best first. */
  variations: Variation[];
  winning_subject: string;
  original_score: number;
  best_score: number;
}

/** Scores a subject line and other wordings, proposed or made by rules; the subject wins unless beaten. */
export function testSubject(
  subject: string,
  history: SubjectHistory,
  proposed: readonly string[] = subjectVariations(subject),
): SubjectTest {
  const original = scoreSubject(subject, history.lifts);
  const variations = proposed
    .map((line): Variation => {
      const { score, reasons } = scoreSubject(line, history.lifts);
      const reason = sentence([...reasons.slice(0, 3), ...(history.note ? [history.note] : [])]);
      return { subject: line, score, reason };
    })
    .sort((a, b) => b.score - a.score)
    .slice(0, maxVariations);
  const [best] = variations;
  const winner = best && best.score > original.score ? best : { subject, score: original.score };
  return { variations, winning_subject: winner.subject, original_score: original.score, best_score: winner.score };
}

function sentence(reasons: readonly string[]): string {
  const text = reasons.join('; ') || 'nothing speaks for or against it';
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}
