import { type AccountSignals, accountFindings } from './deliverability-account.ts';
import { contentChecks } from './deliverability-content.ts';
import { subjectChecks } from './deliverability-subject.ts';

/** Every severity of an issue. */
export const severities = ['low', 'medium', 'high'] as const;

/** A problem of a message. */
export interface Issue {
  code: string;
  severity: (typeof severities)[number];
  /** Points of the spam score. */
  score: number;
  message: string;
  suggestion: string;
}

/** How mail filters are likely to judge a message. */
export interface Deliverability {
  /** 0 to 100, lower is better. */
  spam_score: number;
  /** The heaviest first. */
  issues: Issue[];
  checks_passed: { code: string; message: string }[];
  verdict: 'pass' | 'warn' | 'fail';
}

/** Judges a message, its subject and the account's reputation where they are given. Throws 422 for unreadable HTML. */
export function judge(message: { content: string; subject?: string | null }, account?: AccountSignals): Deliverability {
  const checks = [
    ...contentChecks(message.content),
    ...(message.subject ? subjectChecks(message.subject) : []),
    ...(account ? accountFindings(account) : []),
  ];
  const issues = checks.flatMap((check): Issue[] => {
    if ('fine' in check) return [];
    const { code, points: score, problem: message, remedy: suggestion } = check;
    return [{ code, severity: severityOf(score), score, message, suggestion }];
  });
  const points = issues.reduce((sum, { score }) => sum + score, 0);
  const total = Math.min(100, points);
  return {
    spam_score: total,
    issues: issues.sort((a, b) => b.score - a.score || a.code.localeCompare(b.code)),
    checks_passed: checks.flatMap((check) => ('fine' in check ? [{ code: check.code, message: check.fine }] : [])),
    verdict: total < 30 ? 'pass' : total < 60 ? 'warn' : 'fail',
  };
}

const severityOf = (points: number): Issue['severity'] => (points >= 15 ? 'high' : points >= 6 ? 'medium' : 'low');
