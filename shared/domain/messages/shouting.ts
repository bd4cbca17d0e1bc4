import { wordList } from './word-list.ts';

/** Words that mailings often shout; other words in capitals may be names. */
const loud = wordList(`
  ACT ALL AMAZING AND ARE BEST BIG BUY CLICK DEAL DEALS DISCOUNT DONT EVER EVERY EVERYTHING EXCLUSIVE EXTRA FINAL FOR
  FREE GET GIFT GREAT GUARANTEED HERE HOT HOURS HUGE HURRY IMPORTANT INSTANT LAST LIMITED LIFETIME LOVE MISS MORE MUST
  NEVER NEW NOT NOW OFF OFFER OFFERS ONE ONLY ORDER OUR OUT PLEASE PRICE PRICES READ REGISTER SALE SAVE SHIPPING SHOP
  SIGN SPECIAL START STOP SUPER TAKE THE THIS TIME TODAY TONIGHT TRY UNTIL UP URGENT WAIT WEEK WHILE WIN WINNER WITH
  YES YOU YOUR
`);
const short = wordList('A AN AS AT BE BY DO GO IF IN IS IT ME MY NO OF ON OR SO TO UP US WE');

/** Runs of words in capitals. */
const capitals = /(?<![\p{L}\p{N}_&;-])\p{Lu}[\p{Lu}’']*(?:\s+\p{Lu}[\p{Lu}’']*)*(?![\p{L}\p{N}_-])/gu;

const plainWord = (word: string): string => word.replace(/[’']/g, '');
const known = (word: string): boolean => loud.has(plainWord(word)) || short.has(word);

/** Whether a run of words in capitals is shouting rather than a name or an abbreviation. */
function isShouting(run: string): boolean {
  const words = run.split(/\s+/);
  return words.every(known) && words.some((word) => word.length > 2 && loud.has(plainWord(word)));
}

/** How much of what precedes a word tells where it stands; to read all of it for each word takes quadratic time. */
const reach = 100;

/** The end of what precedes a place in a text, itself preceded by `before`; a run of spaces is one. */
export function precedes(before: string, text: string, at: number): string {
  let size = reach;
  // The words before a long gap count, too.
  while (size < at && !/\S/.test(text.slice(at - size, at))) size *= 4;
  const near = (size < at ? '' : before) + text.slice(Math.max(0, at - size), at);
  return near.replace(/\s+/g, ' ').slice(-reach);
}

/** A text without shouted words and repeated marks. `before` is the text that precedes it. */
export const calmed = (text: string, before = ''): string =>
  text
    .replace(/!{2,}/g, '!')
    .replace(/\?{2,}/g, '?')
    .replace(/(?:!\?|\?!)[!?]*/g, '?!')
    .replace(/\${2,}|€{2,}|£{2,}/g, (signs) => signs[0]!)
    .replace(capitals, (run, at: number, whole: string) => {
      if (!isShouting(run)) return run;
      const begins = /(?:^|[.!?:–—|][)"”’']*)\s*$/.test(precedes(before, whole, at));
      const lower = run.toLowerCase().replace(/(?<![\p{L}’'])i(?![\p{L}])/gu, 'I');
      return begins ? lower[0]!.toUpperCase() + lower.slice(1) : lower;
    });

/** The shouted words of a text. */
export const shoutedWords = (text: string): string[] =>
  [...text.matchAll(capitals)].flatMap(([run]) =>
    isShouting(run) ? run.split(/\s+/).filter((word) => word.length > 2) : [],
  );

/** Where two texts differ: the differing words of each. */
export function quiet(before: string, after: string): [string, string] {
  const [from, to] = [before.trim().split(/\s+/), after.trim().split(/\s+/)];
  let start = 0;
  while (start < from.length && start < to.length && from[start] === to[start]) start++;
  let end = 0;
  while (end < from.length - start && end < to.length - start && from.at(-1 - end) === to.at(-1 - end)) end++;
  const part = (words: string[]) =>
    words
      .slice(start, words.length - end)
      .join(' ')
      .slice(0, 80);
  return [part(from), part(to)];
}
