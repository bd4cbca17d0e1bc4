import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type Info, parse } from 'csv-parse';
import type { ContactUpsert } from '../../client/src/index.ts';
import { Explained } from '../local-stack.ts';

type Contact = ContactUpsert & { metadata: Record<string, string> };

/** A row of the file with its line number: a contact, or a fault. */
export type FileRow = { line: number; contact: Contact } | { line: number; fault: string };

/**
 * Reads the contacts of a CSV file row by row, with the share of the file read so far. Column names match regardless of
 * case, spaces and underscores. Throws Explained when the file cannot be used.
 */
export async function* readContacts(file: string): AsyncGenerator<{ row: FileRow; share: number }> {
  const size = await sizeOf(file);
  const faults: { line: number; fault: string }[] = [];
  const parser = parse({
    bom: true,
    trim: true,
    info: true,
    skip_empty_lines: true,
    relax_column_count_less: true,
    skip_records_with_error: true,
    on_skip: (error) => void faults.push({ line: Number(error?.lines ?? 0), fault: error?.message ?? 'unreadable' }),
  });
  const source = createReadStream(file).on('error', (error) => parser.destroy(error));
  let columns: string[] | undefined;
  for await (const { record, info } of source.pipe(parser) as AsyncIterable<{ record: string[]; info: Info }>) {
    const share = size > 0 ? info.bytes / size : 1;
    for (const row of faults.splice(0)) yield { row, share };
    if (!columns) columns = columnsOf(record, file);
    else yield { row: { line: info.lines, contact: contactOf(columns, record) }, share };
  }
  for (const row of faults) yield { row, share: 1 };
  if (!columns) throw new Explained(`${file} is empty.`);
}

/** Throws Explained when a file has no contacts. */
export async function checkContacts(file: string): Promise<void> {
  const { done } = await readContacts(file).next();
  if (done) throw new Explained(`${file} has a header and no rows.`);
}

async function sizeOf(file: string): Promise<number> {
  try {
    const found = await stat(file);
    if (found.isFile()) return found.size;
  } catch {}
  throw new Explained(`There is no file ${file}.`);
}

function columnsOf(header: string[], file: string): string[] {
  const columns = header.map(snakeCase);
  if (!columns.includes('email'))
    throw new Explained(`${file} has no column "Email"; it has: ${header.map((name) => `"${name}"`).join(', ')}.`);
  return columns;
}

/** `First Name`, `first_name` and `FIRSTNAME` are the same column; other names become snake case. */
function snakeCase(name: string): string {
  const words = name
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');
  const known = ['email', 'first_name', 'last_name'].find(
    (field) => field.replace('_', '') === words.replaceAll('_', ''),
  );
  return known ?? words;
}

function contactOf(columns: readonly string[], record: readonly string[]): Contact {
  const contact: Contact = { email: '', metadata: {} };
  for (const [index, column] of columns.entries()) {
    const value = record[index];
    if (!value || !column) continue;
    if (column === 'email' || column === 'first_name' || column === 'last_name') contact[column] = value;
    else contact.metadata[column] = value;
  }
  return contact;
}
