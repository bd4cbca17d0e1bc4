import type * as z from 'zod';
import { type FieldErrors, ValidationError } from '../domain/errors.ts';

const kinds: Record<string, string | undefined> = {
  string: 'text',
  number: 'a number',
  int: 'an integer',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};

/** What is wrong where a schema does not say it itself, in the words of the one who sent it. */
export const worded: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
  if (issue.code !== 'invalid_type') return undefined;
  return issue.input === undefined ? 'required' : `must be ${kinds[issue.expected] ?? issue.expected}`;
};

/** Checks `input` against `schema` or throws a 422 with a message per field path. */
export function validate<S extends z.ZodType>(schema: S, input: unknown, at = ''): z.output<S> {
  const result = schema.safeParse(input, { error: worded });
  if (result.success) return result.data;
  const errors: FieldErrors = {};
  for (const issue of result.error.issues) {
    const path = [at, ...issue.path.map(String)].filter((part) => part !== '').join('.') || 'body';
    errors[path] ??= [];
    errors[path].push(issue.message);
  }
  throw new ValidationError(errors);
}
