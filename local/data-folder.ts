import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Problem } from './problem.ts';

const maxCheckedBytes = 256 * 1024 * 1024;

/** The folder with a stack's data; one stack at a time locks it. */
export interface DataFolder {
  path: string;
  ephemeral: boolean;
  file(name: string): string;
  /** Reads a value stored with `write`; undefined when there is none. */
  read(key: string): string | undefined;
  write(key: string, value: string): void;
  /** Writes a JSON file for other programs. */
  publish(name: string, content: unknown): void;
  /** Unlocks the folder; an ephemeral one is removed when the process ends. */
  close(): void;
}

/** Opens the data folder and locks it until this process ends, even by a kill. */
export function openDataFolder(options: { path: string; ephemeral: boolean }): DataFolder {
  const path = options.ephemeral ? mkdtempSync(join(tmpdir(), 'mailwright-')) : options.path;
  try {
    mkdirSync(join(path, 'logs'), { recursive: true });
  } catch (error) {
    const reason = (error as Error).message;
    throw new Problem(`The data folder ${path} cannot be used: ${reason}. Choose another with --data DIR.`);
  }
  const state = openState(path);
  const file = (name: string) => join(path, name);
  if (options.ephemeral) process.on('exit', () => rmSync(path, { recursive: true, force: true }));
  return {
    path,
    ephemeral: options.ephemeral,
    file,
    read: (key) => state.prepare('SELECT value FROM state WHERE key = ?').get(key)?.value as string | undefined,
    write: (key, value) =>
      void state
        .prepare('INSERT INTO state VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value')
        .run(key, value),
    publish: (name, content) => writeFileSync(file(name), `${JSON.stringify(content, null, 2)}\n`),
    close: () => state.close(),
  };
}

/** The Problem to throw when a file of the data folder cannot be read. */
export function damagedFile(path: string, detail: string): Problem {
  const shown = relative(process.cwd(), path) || path;
  return new Problem(
    `The data folder is damaged: ${shown} cannot be read (${detail}).\n` +
      'Move the folder away, or delete it to begin afresh; --ephemeral runs without one.',
  );
}

/** Runs work on a file of the data folder; when it fails, throws the Problem of a damaged file. */
export function reading<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw damagedFile(file, (error as Error).message);
  }
}

/** Throws a Problem when a database of the data folder is corrupt; databases over 256 MB are not checked. */
export function checkDatabase(file: string): void {
  if (!existsSync(file) || statSync(file).size > maxCheckedBytes) return;
  reading(file, () => {
    const database = new DatabaseSync(file);
    const { quick_check: found } = database.prepare('PRAGMA quick_check(1)').get() ?? {};
    database.close();
    if (found !== 'ok') throw new Error(String(found));
  });
}

/** Opens the state file with an exclusive lock, which the operating system releases even after a kill -9. */
function openState(path: string): DatabaseSync {
  const file = join(path, 'stack.sqlite');
  const state = new DatabaseSync(file);
  try {
    state.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = NORMAL;');
    state.exec('BEGIN EXCLUSIVE; CREATE TABLE IF NOT EXISTS state (key TEXT PRIMARY KEY, value TEXT) STRICT; COMMIT;');
    return state;
  } catch (error) {
    const reason = (error as Error).message;
    if (/locked|busy/.test(reason)) {
      throw new Problem(
        `Another local stack is running on the data folder ${path}. ` +
          'Stop it first, or start this one with another folder: --data DIR (or --ephemeral).',
      );
    }
    throw damagedFile(file, reason);
  }
}
