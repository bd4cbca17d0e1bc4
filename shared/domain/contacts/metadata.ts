const limitBytes = 16 * 1024;
const limitKeys = 100;
const limitKeyLength = 100;
const limitDepth = 10;

/** Why key/value data is refused, with the key at fault; undefined when the table can store it as it is. */
export function metadataFault(metadata: Record<string, unknown>): { key?: string; message: string } | undefined {
  if (Object.keys(metadata).length > limitKeys) return { message: `at most ${limitKeys} keys` };
  for (const [key, value] of Object.entries(metadata)) {
    const message = keyFault(key) ?? valueFault(value, 1);
    if (message) return { key, message };
  }
  return Buffer.byteLength(JSON.stringify(metadata)) > limitBytes ? { message: 'at most 16 KB of JSON' } : undefined;
}

function keyFault(key: string): string | undefined {
  if (key.length < 1 || key.length > limitKeyLength) return `a key has 1 to ${limitKeyLength} characters`;
  return key.isWellFormed() ? undefined : 'a key must be well-formed Unicode';
}

function valueFault(value: unknown, depth: number): string | undefined {
  if (typeof value === 'string') return value.isWellFormed() ? undefined : 'text must be well-formed Unicode';
  if (typeof value === 'number') return numberFault(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > limitDepth) return `nested more than ${limitDepth} levels deep`;
  for (const [key, part] of Object.entries(value)) {
    const fault = (Array.isArray(value) ? undefined : keyFault(key)) ?? valueFault(part, depth + 1);
    if (fault) return fault;
  }
  return undefined;
}

function numberFault(value: number): string | undefined {
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return 'a number this large loses digits; send it as text';
  return value !== 0 && Math.abs(value) < 1e-100 ? 'a number this small loses digits; send it as text' : undefined;
}
