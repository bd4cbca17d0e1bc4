import { messageParts } from '../messages/message-parts.ts';
import { calmed, precedes, quiet } from '../messages/shouting.ts';
import { polishAdvice, quality } from './polish-advice.ts';
import type { Polished, PolishWish, WordingSet } from './polish-options.ts';
import { wordingSets } from './polish-wordings.ts';
import { areEnglish, readProse } from './prose.ts';
import { decode, type Piece, type RewritableBlock, rewritableBlocks, withBlocks } from './rewritable.ts';

/** The maximum number of suggestions. */
export const maxSuggestions = 20;

/** A change, with the words around it. */
interface Change {
  before: string;
  after: string;
  why: string;
  where: string;
}

/** The state of one round of changes. */
interface Work {
  rules: Rule[];
  wish: PolishWish;
  /** The text's kind of apostrophe, straight or curly. */
  apostrophe: string;
  exclamations: number;
  changes: Change[];
}

/** A change can make another one possible, such as after a doubled opening; real texts need few rounds. */
const maxRounds = 50;

/**
 * Improves the words of a message by rules until none applies; markup, merge tags and addresses stay. Texts that are
 * not English only lose shouting and repeated marks.
 */
export function polish(content: string, wish: PolishWish = {}): Polished {
  const changes: Change[] = [];
  let polished = content;
  for (let round = 0; round < maxRounds; round++) {
    const before = polished;
    polished = reworded(before, wish, changes);
    if (polished === before) break;
  }
  const after = messageParts(polished);
  const prose = readProse(after.blocks.map(({ text }) => text));
  return {
    content: polished,
    suggestions: [...described(changes), ...polishAdvice(after, prose, wish)].slice(0, maxSuggestions),
    score: quality(after, prose),
  };
}

/** Applies every rule once and adds the changes to `changes`. */
function reworded(content: string, wish: PolishWish, changes: Change[]): string {
  const parts = messageParts(content);
  const english = areEnglish(parts.blocks.map(({ text }) => text));
  const work: Work = {
    rules: english ? rules.filter(({ set }) => serves(set, wish)) : [],
    wish,
    apostrophe: content.includes('’') ? '’' : "'",
    exclamations: 0,
    changes,
  };
  const changed = new Map<RewritableBlock, Piece[]>();
  for (const block of rewritableBlocks(content, parts)) {
    const pieces = reword(block, work);
    if (pieces.some(({ raw }, index) => raw !== block.pieces[index]!.raw)) changed.set(block, pieces);
  }
  return withBlocks(content, changed);
}

function reword({ pieces }: RewritableBlock, work: Work): Piece[] {
  let before = '';
  return pieces.map((piece) => {
    if (piece.kind !== 'words') {
      before = precedes(before, piece.text, piece.text.length);
      return piece;
    }
    let raw = piece.raw;
    for (const rule of work.rules) raw = apply(rule, raw, before, work);
    raw = noted(raw, calmed(raw, before), 'calmer', work);
    raw = noted(raw, limitExclamations(raw, work), 'calmer', work);
    before = precedes(before, raw, raw.length);
    return raw === piece.raw ? piece : { ...piece, raw };
  });
}

/** A wording as a pattern. */
interface Rule {
  set: WordingSet;
  pattern: RegExp;
  instead: string;
  unlessAfter: RegExp | undefined;
}

const apostrophes = "(?:[’']|&#0?39;|&#x27;|&rsquo;|&apos;)";

const rules: Rule[] = wordingSets.flatMap((set) =>
  set.wordings.flatMap(([patterns, instead]) => [patterns].flat().map((pattern) => ruleOf(set, pattern, instead))),
);

function ruleOf(set: WordingSet, what: string, instead: string): Rule {
  const words = what.replaceAll("[’']", apostrophes).replaceAll(' ', '\\s+');
  const openEnd = /(?: |\(\?[=!].*\))$/.test(what);
  const end = instead === '' ? '\\s+(\\p{L})' : openEnd ? '' : '(?![\\p{L}\\p{N}])';
  const start = what.startsWith('(?<') ? '' : "(?<![\\p{L}\\p{N}_’'-])";
  return {
    set,
    pattern: new RegExp(start + words + end, 'giu'),
    instead,
    unlessAfter: set.unlessAfter === undefined ? undefined : new RegExp(`\\b(?:${set.unlessAfter})\\s+$`, 'i'),
  };
}

function serves({ tones, goals }: WordingSet, { tone, goal }: PolishWish): boolean {
  if (!tones && !goals) return true;
  return Boolean((tone && tones?.includes(tone)) || (goal && goals?.includes(goal)));
}

const opensSentence = (before: string): boolean => /(?:^|[.!?…][)"”’']*)\s*$/.test(before);

const apply = ({ set, pattern, instead, unlessAfter }: Rule, text: string, before: string, work: Work): string =>
  text.replace(pattern, (match: string, ...rest: unknown[]) => {
    const at = rest.find((argument) => typeof argument === 'number') as number;
    const groups = rest.slice(0, rest.indexOf(at)) as (string | undefined)[];
    const upTo = precedes(before, text, at);
    if ((set.opening && !opensSentence(upTo)) || unlessAfter?.test(upTo)) return match;
    const begins = /^\p{Lu}/u.test(match) || opensSentence(upTo);
    const result = instead === '' ? groups.at(-1)! : filled(instead, groups, work.apostrophe);
    const after = shouts(match) && instead !== '' ? result.toUpperCase() : begins ? capital(result) : result;
    const shown = instead === '' ? match.slice(0, -groups.at(-1)!.length) : match;
    work.changes.push({
      before: shown.trim(),
      after: instead === '' ? '' : after.trim(),
      why: set.why,
      where: around(text, at),
    });
    return after;
  });

const filled = (instead: string, groups: (string | undefined)[], apostrophe: string): string =>
  instead.replace(/\$(\d)/g, (_all, place: string) => groups[Number(place) - 1] ?? '').replaceAll("'", apostrophe);
const capital = (text: string): string => text.replace(/^\s*\p{Ll}/u, (letter) => letter.toUpperCase());
const shouts = (text: string): boolean => text.length > 3 && text === text.toUpperCase() && /\p{Lu}{3}/u.test(text);

/** Limits exclamation marks: none in a formal text, one in a professional one. */
function limitExclamations(text: string, work: Work): string {
  const max = work.wish.tone === 'formal' ? 0 : work.wish.tone === 'professional' ? 1 : Number.POSITIVE_INFINITY;
  return text.replace(/(?<=[\p{L}\p{N})"”’'])!(?=\s|$)/gu, (mark) => (++work.exclamations > max ? '.' : mark));
}

function noted(before: string, after: string, why: string, work: Work): string {
  if (before === after) return before;
  const [from, to] = quiet(before, after);
  work.changes.push({ before: from, after: to, why, where: '' });
  return after;
}

/** The words around a place in a text. */
function around(text: string, at: number): string {
  const from = Math.max(0, at - 60);
  const near = text.slice(from, at + 100).replace(/\s/g, ' ');
  const start = near.lastIndexOf(' ', Math.max(0, at - 20 - from)) + 1;
  const end = near.indexOf(' ', at + 40 - from);
  const excerpt = near
    .slice(start, end < 0 ? undefined : end)
    .replace(/ +/g, ' ')
    .trim();
  const isCut = [from + start > 0, from + (end < 0 ? near.length : end) < text.length];
  return `${isCut[0] ? '…' : ''}${excerpt}${isCut[1] ? '…' : ''}`;
}

function described(changes: readonly Change[]): string[] {
  const lines = new Map<string, { change: Change; count: number }>();
  for (const change of changes) {
    const name = `${change.before.toLowerCase()}\n${change.after.toLowerCase()}`;
    const known = lines.get(name);
    if (known) known.count++;
    else lines.set(name, { change, count: 1 });
  }
  return [...lines.values()].map(({ change: { before, after, why, where }, count }) => {
    const what = after === '' ? `Took out "${before}"` : `Wrote "${after}" for "${before}"`;
    const place = where ? ` in "${where}"` : '';
    return decode(`${what} (${why})${place}${count > 1 ? `, ${count} times` : ''}.`);
  });
}
