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
  switch (issue.code) {
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'invalid_type':
      return issue.input === undefined ? 'required' : `must be ${kinds[issue.expected] ?? issue.expected}`;
    case 'too_small':
      return bounded(issue, issue.minimum, issue.inclusive === false ? 'more than' : 'at least');
    case 'too_big':
      return bounded(issue, issue.maximum, issue.inclusive === false ? 'less than' : 'at most');
    case 'unrecognized_keys':
      return `has no field ${issue.keys.join(', ')}`;
    default:
      return 'has another form';
  }
};

const units: Record<string, [one: string, more: string] | undefined> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  record: ['key', 'keys'],
};

function bounded(
  { origin, exact }: { origin: string; exact?: boolean },
  bound: number | bigint,
  inexact: string,
): string {
  const unit = units[origin];
  const how = exact ? 'exactly' : inexact;
  if (!unit) return `must be ${how} ${bound}`;
  if (how === 'at least' && bound === 1) return 'must not be empty';
  return `${how} ${bound} ${bound === 1 ? unit[0] : unit[1]}`;
}

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
