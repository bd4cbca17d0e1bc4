/** The words of a text, separated by white space. */
export const wordList = (text: string): Set<string> => new Set(text.trim().split(/\s+/));
