import * as z from 'zod';
import * as tags from '../../shared/data/contacts/tags.ts';
import { pathRecord } from '../../shared/http/endpoint.ts';
import { singleLine } from '../../shared/http/schemas.ts';

/** What creation and PATCH take; the name is unique in the team without regard to case. */
export const tagBody = z
  .object({ name: singleLine(100).transform((name) => name.normalize('NFC')) })
  .meta({ id: 'TagInput' });

/** `{tag}` in a path, and the tag that it names, or 404. */
export const [tagParams, tagOf] = pathRecord('tag', tags.find);
