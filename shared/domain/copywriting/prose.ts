import { ParseEnglish } from 'parse-english';
import { syllable } from 'syllable';
import { wordList } from '../messages/word-list.ts';

/** How a text reads. */
export interface Prose {
  /** Whether it reads as English: `ease` and `passive` are for English only. */
  english: boolean;
  sentences: string[];
  words: number;
  /** Flesch reading ease: 100 very easy, 60 plain, 30 hard; null where the text is too short or not English. */
  ease: number | null;
  /** Sentences of more than 25 words. */
  long: string[];
  /** Passive constructions, each with its sentence. */
  passive: { phrase: string; sentence: string }[];
}

/** Reading ease needs this many words. */
const minWords = 20;
const longSentence = 25;
/** Longer texts are judged by their beginning. */
const maxCharacters = 60_000;

const common = wordList(`
  a about after all an and any are as at be been before but by can could day do for from get had has have he her here
  his how i if in into is it its just let like make me more my new no not now of on one only or our out over read save
  see she shop so some than thanks that the their them then there these they this time to today up us use was we week
  what when where which who why will with would you your
`);
const foreign = wordList(`
  der das und für wir ihr ihre sie ist ein eine einen nicht mit von auf zum zur jetzt le la les des du et pour vous
  votre nos une est avec sur el los las una para por con su tu más il lo gli di che per con nostro tuo è het een van
  voor met uw os um uma não você seu och att det är på til ikke jij je
`);

const irregular = wordList(`
  awoken beaten become begun bent bitten blown born bought bound broken brought built burnt caught chosen cut dealt
  done drawn driven eaten fed felt forbidden forgiven forgotten fought found frozen given gone grown heard held hidden
  hit hurt kept known laid led left lent lost made meant met paid put read rung said seen sent set shaken shot shown
  shut sold spent spoken stolen struck sung sunk swept swum taken taught thought thrown told torn understood won worn
  withdrawn written
`);
const participle = `(?:[a-z]{2,}ed|(?:over|under|re|un)?(?:${[...irregular].join('|')}))`;
const passive = new RegExp(
  `\\b(?:am|is|are|was|were|be|been|being)\\s+(?:(?:not|also|already|[a-z]+ly)\\s+)?${participle}\\b`,
  'gi',
);
/** Adjectives that look like participles. */
const adjectives = wordList(`
  interested excited thrilled delighted honored honoured needed pleased tired bored worried concerned convinced
  supposed used married related limited need indeed speed feed seed weed red bed shed
`);

/** The words of a text, in lower case. */
export const wordsOf = (text: string): string[] =>
  text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [];

/** Whether a text reads as English, by its common words; a very short text does unless it shows another language. */
export function readsAsEnglish(text: string): boolean {
  const words = wordsOf(text);
  const hits = words.filter((word) => common.has(word)).length;
  const others = words.filter((word) => foreign.has(word)).length;
  if (words.length < 12) return hits >= others && /^[^\u0370-\u1dff\u2e80-\ud7ff]*$/.test(text);
  return hits > others && hits / words.length >= 0.15;
}

/** Paragraphs as one text, in which a merge tag is a name. */
function wholeOf(paragraphs: readonly string[]): string {
  const texts = paragraphs.map((text) =>
    text
      .replace(/\{\{[^{}]*\}\}/g, 'Ann')
      .replace(/\s+/g, ' ')
      .trim(),
  );
  return texts.join('\n\n').slice(0, maxCharacters);
}

/** Whether the paragraphs of a text are English: cheaper than all that there is to read in it. */
export const areEnglish = (paragraphs: readonly string[]): boolean => readsAsEnglish(wholeOf(paragraphs));

/** Analyzes the paragraphs of a text; a merge tag reads as a name. */
export function readProse(paragraphs: readonly string[]): Prose {
  const whole = wholeOf(paragraphs);
  const english = readsAsEnglish(whole);
  const sentences = sentencesOf(whole);
  const count = wordsOf(whole).length;
  return {
    english,
    sentences,
    words: count,
    ease: english && count >= minWords ? fleschEase(whole, count, sentences.length) : null,
    long: sentences.filter((sentence) => wordsOf(sentence).length > longSentence),
    passive: english ? sentences.flatMap(passivesOf) : [],
  };
}

interface Positioned {
  type: string;
  position?: { start: { offset?: number }; end: { offset?: number } };
}

/**
 * A longer paragraph is read in parts, and a sentence across them as two: each abbreviation takes the parser as long as
 * its paragraph is.
 */
const maxParagraph = /[^\n]{1,2000}(?:\s|$)|\S{2000}/g;

const sentencesOf = (text: string): string[] => (text.match(maxParagraph) ?? []).flatMap(sentencesIn);

const sentencesIn = (text: string): string[] =>
  new ParseEnglish()
    .parse(text)
    .children.flatMap((paragraph): Positioned[] => ('children' in paragraph ? [...paragraph.children] : []))
    .filter(({ type }) => type === 'SentenceNode')
    .map(({ position }) => text.slice(position?.start.offset, position?.end.offset))
    .filter((sentence) => wordsOf(sentence).length > 0);

/** Flesch, "A new readability yardstick" (1948). */
function fleschEase(text: string, words: number, sentences: number): number {
  // Of what is no word the library's patterns would take quadratic time.
  const syllables = syllable(text.replace(/\bhttps?:\/\/\S+|\S{51,}/g, ' '));
  return Math.round((206.835 - 1.015 * (words / Math.max(1, sentences)) - 84.6 * (syllables / words)) * 10) / 10;
}

const passivesOf = (sentence: string): Prose['passive'] =>
  [...sentence.matchAll(passive)]
    .filter(([phrase]) => !adjectives.has(phrase.toLowerCase().split(/\s+/).at(-1)!))
    .map(([phrase]) => ({ phrase, sentence }));
