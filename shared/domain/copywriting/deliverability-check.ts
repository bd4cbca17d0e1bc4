/** One check: what is wrong, or that nothing is. */
export type Check = { code: string; fine: string } | { code: string; points: number; problem: string; remedy: string };

/** The result of a check; without points it is passed. */
export const check = (code: string, points: number, problem: string, remedy: string, fine: string): Check =>
  points > 0 ? { code, points: Math.round(points), problem, remedy } : { code, fine };
