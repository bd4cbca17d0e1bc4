/** Every tone that a polish can aim for. */
export const polishTones = ['professional', 'casual', 'friendly', 'formal', 'persuasive'] as const;
/** The tone of a polished text. */
export type PolishTone = (typeof polishTones)[number];

/** Every goal that a polish can aim for. */
export const polishGoals = ['clarity', 'engagement', 'conversion', 'brevity', 'warmth'] as const;
/** The goal of a polished text. */
export type PolishGoal = (typeof polishGoals)[number];

/** The requested tone and goal; without them only the rules for every text apply. */
export interface PolishWish {
  tone?: PolishTone | null;
  goal?: PolishGoal | null;
}

/** A polished text. */
export interface Polished {
  content: string;
  /** What was changed and where, then what could still be improved. */
  suggestions: string[];
  /** How easily the result reads, 0 to 100. */
  score: number;
}

/** A set of wordings with their replacements; without tones and goals it applies to every text. */
export interface WordingSet {
  why: string;
  tones?: readonly PolishTone[];
  goals?: readonly PolishGoal[];
  /** Only at the beginning of a sentence. */
  opening?: boolean;
  /** Not after one of these words (a pattern). */
  unlessAfter?: string;
  /**
   * Patterns with their replacement, applied in order. A pattern matches whole words of any case; with an empty
   * replacement the next word takes over its capital letter.
   */
  wordings: readonly (readonly [patterns: string | readonly string[], replacement: string])[];
}

/** The wordings in a text: `phrase / phrase = replacement`, separated by semicolons. */
export const wordingsOf = (text: string): WordingSet['wordings'] =>
  text
    .trim()
    .split(/;\s*/)
    .map((wording) => {
      const [patterns = '', replacement = ''] = wording.split(' = ');
      return [patterns.split(' / '), replacement];
    });
