import type { MessageParts, TextBlock, TextRun } from '../messages/message-parts.ts';

/** A piece of a block: words, which may change, or a token (merge tag, address) or markup, which may not. */
export interface Piece {
  kind: 'words' | 'token' | 'markup';
  /** The source text. */
  raw: string;
  /** The visible text; empty for markup. */
  text: string;
}

/** A block of a message in pieces: their raw texts make up `source.slice(start, end)`. */
export interface RewritableBlock {
  start: number;
  end: number;
  pieces: Piece[];
}

/**
 * Merge tags, URLs, email addresses and hosts, which are never reworded. The bounds are those of RFC 5321 and RFC 1035,
 * and a host begins only where no other one is under way: so matching is linear in the length of the text.
 */
const endings = 'com|net|org|edu|gov|info|biz|io|co|de|uk|eu|fr|es|it|nl|ch|at|app|dev|shop|store|example';
const tokens = new RegExp(
  [
    /\{\{[^{}]*\}\}/,
    /\b(?:https?:\/\/|www\.)[^\s<>"']+/,
    /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,126}/,
    new RegExp(`(?<!\\w|\\w\\.)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.){1,126}(?:${endings})\\b(?:\\/[^\\s<>"']*)?`),
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
);

/** The blocks of a message that may be reworded, in order. */
export const rewritableBlocks = (source: string, { blocks }: MessageParts): RewritableBlock[] =>
  blocks.filter(({ runs }) => runs.every(({ literal }) => !literal)).map((block) => cut(source, block));

function cut(source: string, block: TextBlock): RewritableBlock {
  const pieces: Piece[] = [];
  const blank = ({ text }: TextRun) => text.trim() === '';
  const runs = block.runs.slice(
    block.runs.findIndex((run) => !blank(run)),
    block.runs.findLastIndex((run) => !blank(run)) + 1,
  );
  const [start, end] = [runs[0]!.start, runs.at(-1)!.end];
  let at = start;
  for (const run of runs) {
    if (run.start > at) pieces.push({ kind: 'markup', raw: source.slice(at, run.start), text: '' });
    pieces.push(...cutRun(source.slice(run.start, run.end), run.text));
    at = run.end;
  }
  return { start, end, pieces };
}

/** Cuts a run at its tokens. */
function cutRun(raw: string, text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  const add = (kind: Piece['kind'], piece: string) => {
    if (piece !== '') pieces.push({ kind, raw: piece, text: raw === text ? piece : decode(piece) });
  };
  for (const match of raw.matchAll(tokens)) {
    add('words', raw.slice(at, match.index));
    add('token', match[0]);
    at = match.index + match[0].length;
  }
  add('words', raw.slice(at));
  return pieces;
}

const names = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0' }));

/** Decodes common entities; a rarer one stays. */
export const decode = (raw: string): string =>
  raw.replace(/&(?:([a-z]+)|#(\d{1,6})|#x([\da-f]{1,5}));/gi, (whole, name, decimal, hex) => {
    if (name !== undefined) return names.get(String(name).toLowerCase()) ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0x1f && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : whole;
  });

/** The source with some blocks replaced; everything else stays byte for byte. */
export function withBlocks(source: string, changed: ReadonlyMap<RewritableBlock, readonly Piece[]>): string {
  let result = '';
  let at = 0;
  for (const [{ start, end }, pieces] of [...changed].sort(([a], [b]) => a.start - b.start)) {
    result += source.slice(at, start) + pieces.map(({ raw }) => raw).join('');
    at = end;
  }
  return result + source.slice(at);
}

const marker = (index: number): string => `[[${index}]]`;
const markers = /\[\[(\d{1,4})\]\]/g;

/** A block as one line of text, with its markup as `[[1]]`, `[[2]]`; undefined when its text contains `[[`. */
export function marked({ pieces }: RewritableBlock): string | undefined {
  if (pieces.some(({ kind, text }) => kind !== 'markup' && text.includes('[['))) return undefined;
  let markup = 0;
  const text = pieces.map((piece) => (piece.kind === 'markup' ? marker(++markup) : piece.text)).join('');
  return text.replace(/\s+/g, ' ').trim();
}

/**
 * A block with the words of a text in the form of `marked`; undefined unless the text has the same markup in the same
 * order, the same merge tags and addresses, and a plausible length.
 */
export function unmarked(block: RewritableBlock, text: string, html: boolean): Piece[] | undefined {
  const before = marked(block);
  if (before === undefined || text.length > before.length * 2 + 200 || text.trim() === '') return undefined;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(text) || !text.isWellFormed()) return undefined;
  const markup = block.pieces.filter(({ kind }) => kind === 'markup');
  const order = [...text.matchAll(markers)].map(([, index]) => Number(index));
  if (order.length !== markup.length || order.some((index, place) => index !== place + 1)) return undefined;
  const left = block.pieces.filter(({ kind }) => kind === 'token');
  const pieces: Piece[] = [];
  const [lead, tail] = surroundings(block);
  const inside = text.trim().split(markers);
  for (const [index, part] of inside.entries()) {
    if (index % 2 === 1) pieces.push(markup[Number(part) - 1]!);
    else if (!addWords(pieces, part, left, html)) return undefined;
  }
  if (left.length > 0) return undefined;
  return [...lead, ...pieces, ...tail];
}

/** Adds a text's words and tokens; false when a token is not in `left` or the words look like a tag or a marker. */
function addWords(pieces: Piece[], text: string, left: Piece[], html: boolean): boolean {
  const words = (part: string): boolean => {
    if (/\{\{|\}\}|\[\[|\]\]/.test(part)) return false;
    if (part !== '') pieces.push({ kind: 'words', raw: html ? encode(part) : part, text: part });
    return true;
  };
  let at = 0;
  for (const match of text.matchAll(tokens)) {
    const place = left.findIndex((token) => token.text === match[0]);
    if (place < 0 || !words(text.slice(at, match.index))) return false;
    pieces.push(...left.splice(place, 1));
    at = match.index + match[0].length;
  }
  return words(text.slice(at));
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', '\u00a0': '&nbsp;' };
const encode = (text: string): string => text.replace(/[&<>"\u00a0]/g, (character) => entities[character]!);

/** The white space before and after a block's words. */
function surroundings({ pieces }: RewritableBlock): [Piece[], Piece[]] {
  const space = (text: string | undefined): Piece[] => (text ? [{ kind: 'words', raw: text, text }] : []);
  const [first, last] = [pieces[0]!, pieces.at(-1)!];
  return [
    first.kind === 'words' ? space(/^\s+/.exec(first.raw)?.[0]) : [],
    last.kind === 'words' ? space(last.raw.slice(last.raw.trimEnd().length)) : [],
  ];
}
