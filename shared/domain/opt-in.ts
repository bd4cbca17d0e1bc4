/** How a new contact joins a list: at once, or pending until it confirms. */
export const optInModes = ['single', 'double'] as const;

/** The opt-in of a list. */
export type OptInMode = (typeof optInModes)[number];
