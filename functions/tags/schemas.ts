import * as z from 'zod';
import { singleLine } from '../../shared/http/schemas.ts';

/** What creation and PATCH take; the name is unique in the team without regard to case. */
export const tagBody = z
  .object({ name: singleLine(100).transform((name) => name.normalize('NFC')) })
  .meta({ id: 'TagInput' });
