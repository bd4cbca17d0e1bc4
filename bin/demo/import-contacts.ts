import { ApiError, type ContactUpsert, type Mailwright } from '../../client/src/index.ts';
import { readContacts } from './contacts-file.ts';
import { number, Progress } from './screen.ts';

const rowsPerCall = 1_000;
const bytesPerCall = 4 * 1024 * 1024;

/** The result of an import; `faults` are the rows left out. */
export interface Imported {
  created: number;
  updated: number;
  faults: { line: number; fault: string }[];
}

interface Row {
  line: number;
  contact: ContactUpsert;
}

/** Imports a CSV file into a list, up to 1,000 rows a call; reports bad rows and leaves them out. */
export async function importContacts(api: Mailwright, file: string, listId: number): Promise<Imported> {
  const imported: Imported = { created: 0, updated: 0, faults: [] };
  const progress = new Progress('importing');
  let waiting: Row[] = [];
  let bytes = 0;
  const flush = async (share: number) => {
    await importRows(api, waiting, listId, imported);
    waiting = [];
    bytes = 0;
    progress.update(share, 1, `${number(imported.created + imported.updated)} contacts`);
  };
  for await (const { row, share } of readContacts(file)) {
    if ('fault' in row) {
      imported.faults.push(row);
      continue;
    }
    const size = Buffer.byteLength(JSON.stringify(row.contact));
    if (waiting.length === rowsPerCall || bytes + size > bytesPerCall) await flush(share);
    waiting.push(row);
    bytes += size;
  }
  await flush(1);
  const { created, updated, faults } = imported;
  progress.end(`${number(created)} created, ${number(updated)} updated, ${number(faults.length)} left out`);
  return imported;
}

/** Sends rows; when the API refuses some of them by index, sends the rest again. */
async function importRows(api: Mailwright, rows: readonly Row[], listId: number, imported: Imported): Promise<void> {
  let left = rows;
  while (left.length > 0) {
    try {
      const contacts = left.map(({ contact }) => contact);
      const { created, updated } = await api.contacts.bulkUpsert({ contacts, list_ids: [listId] });
      imported.created += created;
      imported.updated += updated;
      return;
    } catch (error) {
      const bad = error instanceof ApiError ? badRows(error) : new Map<number, string>();
      if (bad.size === 0) throw error;
      for (const [index, fault] of bad) imported.faults.push({ line: left[index]!.line, fault });
      left = left.filter((_, index) => !bad.has(index));
    }
  }
}

/** The rows that an error names (`contacts.3.email`), with its messages. */
function badRows({ errors }: ApiError): Map<number, string> {
  const bad = new Map<number, string>();
  for (const [path, [message = 'refused']] of Object.entries(errors)) {
    const [, index, field] = /^contacts\.(\d+)(?:\.(.+))?$/.exec(path) ?? [];
    if (index !== undefined) bad.set(Number(index), field ? `${field}: ${message}` : message);
  }
  return bad;
}
