/**
 * Names that the SDK would read as JavaScript does (`data.constructor`, `map['__proto__'] = …`) where a customer gave
 * them. They are stored with a backslash in front; a name that already looks so gets one more.
 */
const special = /^\\*(?:__proto__|constructor)$/;

const stored = (name: string): string => (special.test(name) ? `\\${name}` : name);
const given = (name: string): string => (special.test(name) ? name.replace(/^\\/, '') : name);

/** An input of the SDK with the names inside of its items as they are stored. */
export const withStoredNames = <T extends object>(input: T): T =>
  hasSpecial(input) ? (renamed(input, stored) as T) : input;

/** An output of the SDK with the names inside of its items as they were given. */
export const withGivenNames = <T extends object>(output: T): T =>
  hasSpecial(output) ? (renamed(output, given) as T) : output;

function isMap(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

// Looked for first: nearly no item has one, and a copy of each would cost more.
function hasSpecial(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(hasSpecial);
  return isMap(value) && Object.keys(value).some((name) => special.test(name) || hasSpecial(value[name]));
}

function renamed(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((part) => renamed(part, rename));
  if (!isMap(value)) return value;
  // Not by assignment, which would set the prototype.
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [rename(name), renamed(part, rename)]));
}
