import { expect, it } from 'vitest';
import * as z from 'zod';
import { catalogue } from '../../functions/catalogue.ts';
import { ValidationError } from '../../shared/domain/errors.ts';
import { validate } from '../../shared/http/validation.ts';

const wrong = [
  undefined,
  null,
  true,
  0,
  -1,
  1.5,
  1e30,
  Number.MAX_SAFE_INTEGER,
  '',
  'x',
  'x'.repeat(2_000_000),
  [],
  Array(20_000).fill(0),
  {},
  { 'no such field': 1 },
  Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`key ${index}`, index])),
];

/** A schema and all that it consists of. */
function partsOf(schema: z.core.$ZodType, found = new Set<z.core.$ZodType>()): Set<z.core.$ZodType> {
  if (found.has(schema)) return found;
  found.add(schema);
  const {
    shape,
    element,
    innerType,
    in: input,
    options = [],
    valueType,
    keyType,
    getter,
  } = schema._zod.def as unknown as Record<string, z.core.$ZodType> & {
    options?: z.core.$ZodType[];
    getter?(): z.core.$ZodType;
  };
  const inside = [...Object.values(shape ?? {}), element, innerType, input, ...options, valueType, keyType, getter?.()];
  for (const part of inside) if (part) partsOf(part as z.core.$ZodType, found);
  return found;
}

function sentencesOf(schema: z.core.$ZodType, value: unknown): string[] {
  try {
    validate(schema as z.ZodType, value);
    return [];
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    return Object.values(error.details?.errors ?? {}).flat();
  }
}

it("what is wrong with a field is said in our words, not in the validator's", () => {
  const given = Object.values(catalogue)
    .flatMap((part) => Object.values(part))
    .flatMap(({ params, query, body }) => [params, query, body].filter((schema) => schema !== undefined));
  const parts = new Set(given.flatMap((schema) => [...partsOf(schema)]));
  expect(parts.size).toBeGreaterThan(300);
  const sentences = new Set([...parts].flatMap((part) => wrong.flatMap((value) => sentencesOf(part, value))));
  expect([...sentences].filter((sentence) => /^(Too |Invalid|Unrecognized|Expected|Error)/.test(sentence))).toEqual([]);
});

it.each<[string, z.ZodType, unknown]>([
  ['must be at least 1', z.int().min(1), 0],
  ['must be at most 9', z.int().max(9), 10],
  ['must be more than 0', z.number().gt(0), 0],
  ['must be less than 1', z.number().lt(1), 1],
  ['must not be empty', z.string().min(1), ''],
  ['at least 3 characters', z.string().min(3), 'x'],
  ['at most 1 character', z.string().max(1), 'xx'],
  ['exactly 2 characters', z.string().length(2), 'xxx'],
  ['at most 2 entries', z.array(z.int()).max(2), [1, 2, 3]],
  ['must not be empty', z.array(z.int()).min(1), []],
  ['has no field name, id', z.strictObject({}), { name: 1, id: 2 }],
  ['has another form', z.union([z.string(), z.int()]), null],
  ['has another form', z.string().regex(/^a$/), 'b'],
])('%s', (sentence, schema, value) => {
  expect(sentencesOf(schema, value)).toEqual([sentence]);
});
