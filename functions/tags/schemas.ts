import * as z from 'zod';
import { line } from '../../shared/http/schemas.ts';

/** What creation and PATCH take; the name is unique in the team without regard to case. */
export const tagBody = z
  .object({ name: line(100).transform((name) => name.normalize('NFC')) })
  .meta({ id: 'TagInput' });
