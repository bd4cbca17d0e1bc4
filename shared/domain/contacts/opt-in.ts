/** How a new contact joins a list: at once, or pending until it confirms. */
export const optInModes = ['single', 'double'] as const;

/** The opt-in of a list. */
export type OptInMode = (typeof optInModes)[number];

/** The lists that ask new contacts to confirm. */
export const askingLists = (lists: Iterable<{ id: number; opt_in_mode: OptInMode }>): Set<number> =>
  new Set([...lists].flatMap((list) => (list.opt_in_mode === 'double' ? [list.id] : [])));
