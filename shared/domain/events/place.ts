import { createHash } from 'node:crypto';

/** Recipients on a page of a campaign: one SendBulkEmail call's worth (SES: at most 50 destinations). */
export const pageSize = 50;

/** A recipient's place among all of its campaign, from its page and its index there. */
export const placeIn = (page: number, index: number): number => page * pageSize + index;

/** The page of a place. */
export const pageOf = (place: number): number => Math.floor(place / pageSize);

/** The index of a place on its page. */
export const indexIn = (place: number): number => place % pageSize;

/** An event that many recipients of a campaign have, stored together. */
export type NativeType = 'queued' | 'sent' | 'delivered';

/** Ids from one campaign's first id to the next that another may have: larger campaigns use those after it, too. */
const idsApart = 2 ** 22;

function firstId(teamId: number, campaignId: number, native: NativeType): number {
  const hash = createHash('sha256').update(`${teamId}/${campaignId}/${native}`).digest().readUIntBE(0, 4) % 2 ** 30;
  return hash * idsApart;
}

/** The id of a native event, by its recipient's place: contiguous, so that an expanded row is in order. */
export const nativeId = (teamId: number, campaignId: number, native: NativeType, place: number): number =>
  firstId(teamId, campaignId, native) + place;

/** The recipient's place, from the id of one of these events; outside of the campaign for the id of another event. */
export const placeOfNative = (teamId: number, campaignId: number, native: NativeType, id: number): number =>
  id - firstId(teamId, campaignId, native);
