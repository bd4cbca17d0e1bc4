import type { MessageParts } from '../messages/message-parts.ts';
import { shoutedWords } from '../messages/shouting.ts';
import type { PolishWish } from './polish-options.ts';
import type { Prose } from './prose.ts';
import { wordsOf } from './prose.ts';

const textOf = ({ blocks }: MessageParts): string => blocks.map(({ text }) => text).join('\n');
const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

/** How easily a text reads, 0 to 100: by reading ease, length of sentences, passive voice and shouting. */
export function quality(parts: MessageParts, { ease, sentences, long, passive, words }: Prose): number {
  const text = textOf(parts);
  if (words === 0) return 0;
  const share = (part: number) => part / Math.max(1, sentences.length);
  // Plain English, 60 to 95, costs nothing; harder text costs more than simpler text.
  const reading = ease === null ? 0 : ease < 60 ? Math.min(35, (60 - ease) * 0.7) : Math.max(0, (ease - 95) * 0.2);
  const costs = [
    reading,
    Math.min(25, share(long.length) * 50),
    Math.min(15, share(passive.length) * 30),
    Math.min(10, shoutedWords(text).length * 2),
    Math.min(10, Math.max(0, count(text, /!/g) - 1) * 2),
  ];
  return Math.round(Math.max(0, 100 - costs.reduce((sum, cost) => sum + cost)));
}

/** What the author could still improve, and where. */
export function polishAdvice(parts: MessageParts, prose: Prose, wish: PolishWish): string[] {
  const advice = prose.english
    ? []
    : ['The text does not read as English: only its punctuation and capitals were looked at.'];
  const text = textOf(parts);
  advice.push(
    ...prose.long
      .slice(0, 3)
      .map(
        (sentence) => `Split the sentence of ${wordsOf(sentence).length} words that begins "${beginning(sentence)}".`,
      ),
  );
  advice.push(
    ...prose.passive
      .slice(0, 3)
      .map(({ phrase, sentence }) => `Say who does it instead of "${phrase}" in "${beginning(sentence)}".`),
  );
  if (prose.ease !== null && prose.ease < 50)
    advice.push(
      `Use shorter words and sentences: the reading ease is ${Math.round(prose.ease)}, and 60 or more reads well.`,
    );
  if (prose.english) advice.push(...linkAdvice(parts), ...goalAdvice(parts, text, wish));
  return advice;
}

const beginning = (sentence: string): string => {
  const words = sentence.split(' ');
  return words.slice(0, 8).join(' ') + (words.length > 8 ? '…' : '');
};

function linkAdvice({ links }: MessageParts): string[] {
  const vague = links.find(({ text }) =>
    /^(?:click here|here|link|read this|this link|submit)\s*[.!]?$/i.test(text.trim()),
  );
  return vague ? [`Let the link "${vague.text.trim()}" say where it leads or what it does.`] : [];
}

/** Advice for a goal or tone. */
function goalAdvice(parts: MessageParts, text: string, { tone, goal }: PolishWish): string[] {
  const you = count(text, /\byou(?:r|rs|’re|'re)?\b/gi);
  const we = count(text, /\b(?:we|our|ours|us)\b/gi);
  const candidates: [applies: boolean, advice: string][] = [
    [
      goal === 'engagement' && we > you && we >= 3,
      `Write more about the reader: "we" and "our" come ${we} times, "you" and "your" ${you} times.`,
    ],
    [goal === 'engagement' && !text.includes('?'), 'Ask the reader one question.'],
    [
      (goal === 'engagement' || goal === 'warmth' || tone === 'friendly') && !/\{\{\s*first_name\b/.test(text),
      'Greet the reader by name: {{first_name | default: "there"}}.',
    ],
    [
      (goal === 'conversion' || tone === 'persuasive') && parts.links.length === 0,
      'Add one link or button that says what the reader is to do.',
    ],
    [
      (goal === 'conversion' || tone === 'persuasive') && parts.links.length > 6,
      `Choose one action: ${parts.links.length} links compete with each other.`,
    ],
    [
      goal === 'brevity' && wordsOf(text).length > 200,
      `Shorten it: ${wordsOf(text).length} words take over a minute to read.`,
    ],
    [
      goal === 'warmth' && /\bdo not reply\b|\bno-?reply\b/i.test(text),
      'Invite answers instead of asking readers not to reply.',
    ],
  ];
  return candidates.filter(([applies]) => applies).map(([, advice]) => advice);
}
