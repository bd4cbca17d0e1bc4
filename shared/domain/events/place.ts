/** Recipients on a page of a campaign: one SendBulkEmail call's worth (SES: at most 50 destinations). */
export const pageSize = 50;

/** A recipient's place among all of its campaign, from its page and its index there. */
export const placeIn = (page: number, index: number): number => page * pageSize + index;
