import * as z from 'zod';
import { type Fields, shownFields, type View } from '../domain/record.ts';
import { address, id, jsonObject, time } from './schemas.ts';

const kinds = {
  id,
  address,
  text: z.string(),
  time,
  count: z.int(),
  flag: z.boolean(),
  data: jsonObject,
};

type Shape<F extends Fields> = { [N in keyof View<F>]: z.ZodType<View<F>[N], View<F>[N]> };

/** The response schema of a record, from its fields; `schemas` has those that the OpenAPI document names. */
export function recordSchema<F extends Fields>(
  fields: F,
  schemas: Partial<Record<keyof View<F>, z.ZodType>> = {},
): z.ZodObject<Shape<F>> {
  const shape = shownFields(fields).map(([name, field]) => {
    const unnamed = 'kind' in field ? kinds[field.kind] : z.enum(field.oneOf);
    const schema = (schemas as Record<string, z.ZodType>)[name] ?? unnamed;
    return [name, field.optional ? schema.nullable() : schema];
  });
  return z.object(Object.fromEntries(shape) as Shape<F>);
}
