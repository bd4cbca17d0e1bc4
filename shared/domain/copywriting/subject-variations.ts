import { calmed } from '../messages/shouting.ts';
import { wordList } from '../messages/word-list.ts';
import { readsAsEnglish } from './prose.ts';
import { asRead, lengthOf, tagsIn } from './subject-traits.ts';

/** The maximum length of a campaign's subject, in UTF-16 units. */
const maxLength = 255;
/** The maximum length of a proposal, in characters. */
const maxProposedLength = 120;

const verbs = wordList(`
  book boost bring build buy call celebrate choose claim collect compare complete confirm cook create cut discover
  donate download earn enjoy enter explore find finish fix follow get give grab grow help hear improve invite join
  keep learn listen make master meet open order pay pick plan play prepare protect read redeem refresh register renew
  reserve reward save schedule see send serve set share shop show sign simplify skip speed spend start stay stop
  support switch take taste test track travel treat try turn unlock upgrade use visit vote watch water wear win work
  write
`);

/** First words that are not names: within a sentence they are written in lower case. */
const ordinary = wordList(`
  a an the our your my this that these those how why what when where who which is are do does did can will would
  should have has in on at for with from to up by of and but it its new now one two three four five ten all more most
  some any every here there today tomorrow tonight final last first hot cold next big great free fresh special limited
  important early late only just still back we you
`);

/** Other wordings of a subject line, made by rules that keep it grammatical and keep its merge tags; in no order. */
export function subjectVariations(subject: string): string[] {
  const clean = tidy(subject);
  const made = [clean, ...shortened(clean), ...swapped(clean), ...(readsAsEnglish(clean) ? inEnglish(clean) : [])];
  return distinct(subject, made);
}

/** The usable proposals: one line of sensible length, with exactly the subject's merge tags, without URLs. */
export function acceptable(subject: string, proposed: readonly string[]): string[] {
  const tags = tagsIn(subject).sort().join();
  return distinct(subject, proposed).filter(
    (text) =>
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
      !/[\u0000-\u001f\u007f\u2028\u2029]|https?:|www\./i.test(text) &&
      text.isWellFormed() &&
      lengthOf(text) <= maxProposedLength &&
      tagsIn(text).sort().join() === tags &&
      !/\{\{|\}\}/.test(asRead(text)),
  );
}

/** The lines that differ from the subject and from each other, have all its merge tags and a valid length. */
function distinct(subject: string, lines: readonly string[]): string[] {
  const plain = (text: string) => text.toLowerCase().replace(/\s+/g, ' ').trim();
  const tags = tagsIn(subject);
  const seen = new Set<string>();
  return lines
    .map((text) => text.replace(/ +/g, ' ').trim())
    .filter((text) => {
      const fits = lengthOf(text) >= 5 && text.length <= maxLength && tags.every((tag) => text.includes(tag));
      const fresh = text !== subject.trim() && !seen.has(plain(text));
      seen.add(plain(text));
      return fits && fresh;
    });
}

/** A subject line without fake replies, shouting and repeated signs. */
function tidy(subject: string): string {
  const bare = subject.trim().replace(/^(?:(?:re|fwd?|aw|wg)\s*:\s*)+/i, '');
  const calm = calmed(sentenceCase(bare));
  const signs = calm.match(/\p{Extended_Pictographic}/gu) ?? [];
  const fewer =
    signs.length > 2 ? calm.replace(/\s*\p{Extended_Pictographic}[\u200d\ufe0f\u{1f3fb}-\u{1f3ff}]*/gu, '') : calm;
  const quiet = fewer.replace(/!(?=\s|$)/g, (mark, at: number, whole: string) =>
    whole.slice(at + 1).trim() === '' ? '' : mark,
  );
  return capital(quiet.replace(/\s+/g, ' ').trim());
}

/** A line in capitals as a sentence; merge tags stay. */
function sentenceCase(text: string): string {
  const words = text.replace(/\{\{[^{}]*\}\}/g, '');
  const letters = words.match(/\p{L}/gu) ?? [];
  if (letters.length < 8 || words !== words.toUpperCase() || words === words.toLowerCase()) return text;
  return capital(
    text
      .split(/(\{\{[^{}]*\}\})/)
      .map((part, index) => (index % 2 === 0 ? part.toLowerCase() : part))
      .join('')
      .replace(/(?<![\p{L}’'])i(?![\p{L}])/gu, 'I'),
  );
}

const separators = /\s+[–—|-]\s+|:\s+/;

/** A long line up to its last pause that leaves 20 to 50 characters. */
function shortened(text: string): string[] {
  if (lengthOf(text) <= 50) return [];
  const pauses = [...text.matchAll(/\s+[–—|-]\s+|[.!?:]\s+|\s+\(/g)];
  return pauses
    .map((match) => text.slice(0, match.index) + (/^[?]/.test(match[0]) ? '?' : ''))
    .filter((head) => lengthOf(head) >= 20 && lengthOf(head) <= 50)
    .slice(-1);
}

/** "March news: five ideas" as "Five ideas (March news)". */
function swapped(text: string): string[] {
  const parts = text.split(separators);
  if (parts.length !== 2) return [];
  const [label, rest] = parts as [string, string];
  if (lengthOf(label) > 25 || lengthOf(rest) < 12 || /[?!.]$/.test(label) || /[()]/.test(text)) return [];
  const [, body = rest, mark = ''] = /^(.*?)([?!.]?)$/.exec(rest) ?? [];
  return [`${capital(body)}${mark === '?' ? '?' : ''} (${label})`];
}

const greeting = '{{first_name | default: "Hello"}}, ';
const asks =
  /^(?:how|why|what|when|where|who|which) (?:do|does|did|is|are|was|were|can|could|will|would|should|has|have)\b/i;

function inEnglish(text: string): string[] {
  const body = text.replace(/[.!]+$/, '');
  const lower = lowered(body);
  const question = /\?$/.test(body);
  const asking = !question && asks.test(text);
  const untagged = tagsIn(text).length === 0;
  const howTo = /^how to\b/i.test(text);
  const greets = untagged && !/^(?:hi|hello|hey|dear)\b/i.test(text);
  const made = greets ? [`${greeting}${howTo && !question ? `here's ${lower}` : lower}${asking ? '?' : ''}`] : [];
  // The patterns below wrap the line, which has to be one clause.
  if (question || separators.test(text) || /[.!?]\s/.test(text)) return made;
  const [first = ''] = text.toLowerCase().split(/[\s,]/);
  if (asking) made.push(`${body}?`);
  else if (verbs.has(first)) made.push(`Ready to ${lower}?`, `Your chance to ${lower}`);
  else if (howTo) made.push(`Want to know ${lower}?`, `Here's ${lower}`);
  else if (first === 'why') made.push(`Do you know ${lower}?`, `Here's ${lower}`);
  else if (untagged && lengthOf(body) <= 40) made.push(`For you: ${lower}`, `Take a look: ${lower}`);
  return made;
}

const capital = (text: string): string => (/^\p{Ll}/u.test(text) ? text[0]!.toUpperCase() + text.slice(1) : text);

/** A line for use within a sentence: its first word in lower case unless it may be a name. */
function lowered(text: string): string {
  const [first = ''] = text.split(/[\s,]/);
  const word = first.toLowerCase();
  const isName = !(ordinary.has(word) || verbs.has(word)) || (first === first.toUpperCase() && first.length > 1);
  return isName ? text : text[0]!.toLowerCase() + text.slice(1);
}
