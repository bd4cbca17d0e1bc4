import * as contacts from '../../data/contacts/contacts.ts';
import { complete, type SegmentDefinition } from '../../domain/contacts/segments.ts';
import { survey } from './audience.ts';

const sampleSize = 10;

/** Whom a definition resolves to now: how many active contacts, the definition with every key present, and the first ten by email. */
export async function previewSegment(teamId: number, definition: SegmentDefinition) {
  const { count, first } = await survey(teamId, { definition }, { few: sampleSize });
  const sample = (await contacts.batch(teamId, first)).flatMap((contact) => (contact ? contacts.view(contact) : []));
  return { count, filters: complete(definition), sample };
}
