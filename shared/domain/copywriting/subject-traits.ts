/** The traits of a subject line. */
export interface SubjectTraits {
  /** Characters, with a name for each merge tag. */
  length: number;
  words: number;
  question: boolean;
  number: boolean;
  emojis: number;
  personal: boolean;
  /** Whether a merge tag has no fallback. */
  bareTag: boolean;
  addressed: boolean;
}

const anyTag = /\{\{[^{}]*\}\}/g;
const typicalName = 'Ann';

/** The merge tags of a text. */
export const tagsIn = (text: string): string[] => text.match(anyTag) ?? [];

/** A text with a typical name for each merge tag. */
export const asRead = (text: string): string => text.replace(anyTag, typicalName);

/** The number of characters as a reader counts them. */
export const lengthOf = (text: string): number => [...new Intl.Segmenter().segment(text)].length;

/** Reads the traits of a subject line. */
export function subjectTraits(subject: string): SubjectTraits {
  const read = asRead(subject);
  const tags = tagsIn(subject);
  const pictures = read.match(/\p{Extended_Pictographic}(?!\s*[\d©®])/gu) ?? [];
  return {
    length: lengthOf(read),
    words: read.match(/[\p{L}\p{N}]+/gu)?.length ?? 0,
    question: /\?/.test(read),
    number: /\d/.test(read),
    emojis: pictures.filter((sign) => !/[©®™]/.test(sign)).length,
    personal: tags.length > 0,
    bareTag: tags.some((tag) => !tag.includes('|')),
    addressed: /\byou(?:r|rs)?\b/i.test(read),
  };
}
