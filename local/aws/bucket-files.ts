import { DatabaseSync } from 'node:sqlite';
import { reading } from '../data-folder.ts';

/** An object as the S3 engine holds it. */
export interface StoredObject {
  key: string;
  body: Buffer;
  contentType: string;
  contentLength: number;
  etag: string;
  lastModified: Date;
  metadata: Record<string, string>;
}

/** Keeps the objects of buckets on disk, as S3 does, so that a restart finds them. */
export interface BucketFiles {
  /** Restores the objects of an earlier run into the bucket, and records its changes from now on. */
  attach(bucket: string, objects: Map<string, StoredObject>): void;
  close(): void;
}

/** Opens the database file for all buckets. */
export function openBucketFiles(file: string): BucketFiles {
  const database = reading(file, () => open(file));
  const select = database.prepare('SELECT key, body, described FROM objects WHERE bucket = ?');
  const insert = database.prepare('INSERT OR REPLACE INTO objects VALUES (?, ?, ?, ?)');
  const remove = database.prepare('DELETE FROM objects WHERE bucket = ? AND key = ?');
  return {
    attach(bucket, objects) {
      for (const { key, body, described } of select.all(bucket) as Record<string, string>[]) {
        const { lastModified, ...rest } = JSON.parse(described!);
        objects.set(key!, { key, body: Buffer.from(body!), lastModified: new Date(lastModified), ...rest });
      }
      const { set, delete: drop } = objects;
      objects.set = (key, object) => {
        const { key: _key, body, ...described } = object;
        insert.run(bucket, key, body, JSON.stringify(described));
        return set.call(objects, key, object);
      };
      objects.delete = (key) => {
        remove.run(bucket, key);
        return drop.call(objects, key);
      };
    },
    close: () => database.close(),
  };
}

function open(file: string): DatabaseSync {
  const database = new DatabaseSync(file);
  database.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
     CREATE TABLE IF NOT EXISTS objects
     (bucket TEXT, key TEXT, body BLOB, described TEXT, PRIMARY KEY (bucket, key)) STRICT;`,
  );
  return database;
}
