/** How a polished text is to sound. */
export const polishTones = ['professional', 'casual', 'friendly', 'formal', 'persuasive'] as const;
export type PolishTone = (typeof polishTones)[number];

/** What a polished text is to achieve. */
export const polishGoals = ['clarity', 'engagement', 'conversion', 'brevity', 'warmth'] as const;
export type PolishGoal = (typeof polishGoals)[number];

/** What is asked of a polish; neither asks for what serves every text. */
export interface PolishWish {
  tone?: PolishTone | null;
  goal?: PolishGoal | null;
}

/** A text polished. */
export interface Polished {
  content: string;
  /** What was changed and where, then what else could be. */
  suggestions: string[];
  /** 0 to 100: how easy the result reads. */
  score: number;
}
