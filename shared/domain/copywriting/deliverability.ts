import { type AccountSignals, accountFindings } from './deliverability-account.ts';
import { contentChecks } from './deliverability-content.ts';
import { subjectChecks } from './deliverability-subject.ts';

/** How much an issue weighs. */
export const severities = ['low', 'medium', 'high'] as const;

/** What speaks against a message. */
export interface Issue {
  code: string;
  severity: (typeof severities)[number];
  /** Points of the spam score. */
  score: number;
  message: string;
  suggestion: string;
}

/** What was looked at and is fine. */
interface Passed {
  code: string;
  message: string;
}

/** What a message has to expect of the filters. */
export interface Deliverability {
  /** 0 to 100, lower is better. */
  spam_score: number;
  /** The heaviest first. */
  issues: Issue[];
  checks_passed: Passed[];
  verdict: 'pass' | 'warn' | 'fail';
}

/** Judges a message, its subject line where one is given, and the account's reputation where it is known. Throws 422 for HTML that cannot be read. */
export function judge(message: { content: string; subject?: string | null }, account?: AccountSignals): Deliverability {
  const checks = [
    ...contentChecks(message.content),
    ...(message.subject ? subjectChecks(message.subject) : []),
    ...(account ? accountFindings(account) : []),
  ];
  const issues = checks.flatMap((check): Issue[] =>
    'fine' in check
      ? []
      : [
          {
            code: check.code,
            severity: severityOf(check.points),
            score: check.points,
            message: check.problem,
            suggestion: check.remedy,
          },
        ],
  );
  const total = Math.min(
    100,
    issues.reduce((sum, { score }) => sum + score, 0),
  );
  return {
    spam_score: total,
    issues: issues.sort((a, b) => b.score - a.score || a.code.localeCompare(b.code)),
    checks_passed: checks.flatMap((check) => ('fine' in check ? [{ code: check.code, message: check.fine }] : [])),
    verdict: total < 30 ? 'pass' : total < 60 ? 'warn' : 'fail',
  };
}

const severityOf = (points: number): Issue['severity'] => (points >= 15 ? 'high' : points >= 6 ? 'medium' : 'low');
