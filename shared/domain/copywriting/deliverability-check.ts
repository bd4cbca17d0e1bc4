/** One check: what is wrong, or that nothing is. */
export type Check = { code: string; fine: string } | { code: string; points: number; problem: string; remedy: string };
