import type * as z from 'zod';
import { type FieldErrors, ValidationError } from '../domain/errors.ts';

/** Checks `input` against `schema` or throws a 422 with a message per field path. */
export function validate<S extends z.ZodType>(schema: S, input: unknown, at = ''): z.output<S> {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const errors: FieldErrors = {};
  for (const issue of result.error.issues) {
    const path = [at, ...issue.path.map(String)].filter((part) => part !== '').join('.') || 'body';
    errors[path] ??= [];
    errors[path].push(issue.message);
  }
  throw new ValidationError(errors);
}
