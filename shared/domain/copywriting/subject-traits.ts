/** What a subject line shows of itself before it is opened. */
export interface SubjectTraits {
  /** Characters as they arrive: a merge tag counts as a name. */
  length: number;
  words: number;
  question: boolean;
  number: boolean;
  emojis: number;
  personal: boolean;
  /** A merge tag without what to say in place of a missing value. */
  bareTag: boolean;
  addressed: boolean;
}

const anyTag = /\{\{[^{}]*\}\}/g;
const typicalName = 'Ann';

/** The merge tags of a text, as they are written. */
export const tagsIn = (text: string): string[] => text.match(anyTag) ?? [];

/** A text with its merge tags as they will read for somebody. */
export const asRead = (text: string): string => text.replace(anyTag, typicalName);

/** Characters as a reader counts them. */
export const lengthOf = (text: string): number => [...new Intl.Segmenter().segment(text)].length;

/** Looks at a subject line. */
export function subjectTraits(subject: string): SubjectTraits {
  const read = asRead(subject);
  const tags = tagsIn(subject);
  return {
    length: lengthOf(read),
    words: read.match(/[\p{L}\p{N}]+/gu)?.length ?? 0,
    question: /\?/.test(read),
    number: /\d/.test(read),
    emojis: read.match(/\p{Extended_Pictographic}(?!\s*[\d©®])/gu)?.filter((sign) => !/[©®™]/.test(sign)).length ?? 0,
    personal: tags.length > 0,
    bareTag: tags.some((tag) => !tag.includes('|')),
    addressed: /\byou(?:r|rs)?\b/i.test(read),
  };
}
