import { metadataFault } from '../contacts/metadata.ts';
import { emailFault, normalizeEmail } from '../email-address.ts';

/** The columns with a role of their own; every other column is a merge value under its own name. */
export interface ExportColumns {
  email: string;
  first_name?: string;
  last_name?: string;
}

/** A recipient in an export, with the merge values of the row. */
export interface ExportPerson {
  email: string;
  first_name?: string;
  last_name?: string;
  metadata: Record<string, unknown>;
}

/** A row of an export: a recipient, or why it has none. The reason never contains the row's values. */
export type ExportRow = { person: ExportPerson; fault?: undefined } | { person?: undefined; fault: string };

type Role = 'email' | 'first_name' | 'last_name' | 'metadata';

const maxNameLength = 255;
const maxHeaderLength = 32 * 1024;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it refuses
const control = /[\u0000-\u001f\u007f]/;

const plain = (name: string): string => name.trim().toLowerCase();

function roleOf(name: string, columns: ExportColumns): Role {
  const asked = plain(name);
  if (asked === plain(columns.email)) return 'email';
  if (asked === plain(columns.first_name ?? 'first_name')) return 'first_name';
  return asked === plain(columns.last_name ?? 'last_name') ? 'last_name' : 'metadata';
}

/** Why the header of a CSV export is refused; undefined when each requested column is there once. */
export function headerFault(header: readonly string[], columns: ExportColumns): string | undefined {
  if (header.join().length > maxHeaderLength) return 'has a header of more than 32 KB';
  const names = header.map(plain).filter((name) => name !== '');
  const missing = Object.values(columns).find((name) => name !== undefined && !names.includes(plain(name)));
  if (missing !== undefined) return `has no column "${missing}"`;
  const repeated = names.find((name, index) => names.indexOf(name) !== index);
  return repeated === undefined ? undefined : `has the column "${repeated}" more than once`;
}

/** Reads rows by their column names, ignoring case and surrounding spaces. */
export function rowReader(columns: ExportColumns): {
  csv(header: readonly string[], fields: readonly string[] | undefined): ExportRow;
  json(text: string): ExportRow;
} {
  const roles = new Map<string, Role>();
  const known = (name: string): Role => {
    let role = roles.get(name);
    if (!role) {
      role = roleOf(name, columns);
      if (roles.size < 1_000) roles.set(name, role);
    }
    return role;
  };
  return {
    csv(header, fields) {
      if (!fields) return { fault: 'has quotes that do not match' };
      if (fields.length !== header.length)
        return { fault: `has ${fields.length} fields where the header has ${header.length}` };
      return personOf(
        header.map((name, index) => [name.trim(), fields[index]] as const).filter(([name]) => name !== ''),
        known,
      );
    },
    json(text) {
      let value: unknown;
      try {
        value = JSON.parse(text);
      } catch {
        return { fault: 'is not JSON' };
      }
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return { fault: 'is not a JSON object' };
      return personOf(Object.entries(value), known);
    },
  };
}

function personOf(entries: Iterable<readonly [string, unknown]>, known: (name: string) => Role): ExportRow {
  const person: ExportPerson = { email: '', metadata: {} };
  const metadata: [string, unknown][] = [];
  for (const [name, value] of entries) {
    if (value === null || value === undefined || value === '') continue;
    const role = known(name);
    if (role === 'metadata') {
      metadata.push([name, value]);
      continue;
    }
    if (typeof value !== 'string') return { fault: `${role} is not text` };
    person[role] = role === 'email' ? normalizeEmail(value) : value.trim();
  }
  // Not by assignment: a column may be called __proto__.
  person.metadata = Object.fromEntries(metadata);
  const fault = personFault(person);
  return fault ? { fault } : { person };
}

function personFault({ email, first_name, last_name, metadata }: ExportPerson): string | undefined {
  const wrong = emailFault(email);
  if (wrong) return wrong;
  for (const name of [first_name, last_name]) {
    if (name === undefined) continue;
    if (name.length > maxNameLength) return `a name has at most ${maxNameLength} characters`;
    if (control.test(name)) return 'a name has no line breaks or control characters';
    if (!name.isWellFormed()) return 'a name is well-formed Unicode';
  }
  const refused = metadataFault(metadata);
  return refused && `merge values: ${refused.message}`;
}
