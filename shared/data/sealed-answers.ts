import { sealingFor } from './sealing.ts';

/** Seals stored answers, and what a creation memoizes, where they show a secret. */
export const sealedAnswers = /* @__PURE__ */ sealingFor('answers');
