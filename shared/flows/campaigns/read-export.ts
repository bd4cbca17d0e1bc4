import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { listExports, readExport } from '../../aws/exports.ts';
import { firstOf, type ImportCursor } from '../../data/campaigns/audience-imports.ts';
import { csvFields, type ExportRecord, RecordSplitter } from '../../domain/campaigns/export-records.ts';
import { type ExportRow, headerFault, rowReader } from '../../domain/campaigns/export-rows.ts';
import { ExportFault, type ExportObject, holdsRows, type WarehouseSource } from '../../domain/campaigns/warehouse.ts';

/** The limits of an export's objects; their names are stored in one item of at most 400 KB. */
const maxObjects = 1_000;
const maxNameBytes = 300 * 1024;
/** Characters of the records in a batch, which ends before its rows are complete when they are long. */
const maxBatchLength = 4 * 1024 * 1024;
const gzipMagic = Buffer.of(0x1f, 0x8b);
const inflatedBytes = 256 * 1024;

/** Rows of an export with their lines, and the cursor after them. */
export interface RowBatch {
  /** The columns of a CSV object. */
  header?: string[];
  rows: (ExportRow & { line: number })[];
  next: ImportCursor;
}

/** The objects of an export; throws an ExportFault when there are too many. */
export async function exportOf({ bucket, prefix }: WarehouseSource): Promise<ExportObject[]> {
  const objects = (await listExports(bucket, prefix, maxObjects)).filter(holdsRows);
  if (objects.length > maxObjects) throw new ExportFault(`s3://${bucket}/${prefix} holds more than 1,000 objects`);
  if (objects.reduce((bytes, { key }) => bytes + Buffer.byteLength(key), 0) > maxNameBytes)
    throw new ExportFault(`s3://${bucket}/${prefix} holds objects whose names have more than 300 KB together`);
  return objects;
}

/** Reads the rows of one object from a cursor on, in batches; holds one batch and a few megabytes of the object. */
export async function* readRows(
  source: WarehouseSource,
  object: ExportObject,
  cursor: ImportCursor,
  rowsPerBatch = 1_000,
): AsyncGenerator<RowBatch> {
  const { bucket, format, columns } = source;
  const reader = rowReader(columns);
  let { header } = cursor;
  let batch: Omit<RowBatch, 'header'> = { rows: [], next: cursor };
  let length = 0;
  const add = (record: ExportRecord): void => {
    const { line, end: offset, nextLine, text, fault } = record;
    if (format === 'csv' && !header) header = headerOf(object, record, columns);
    else batch.rows.push({ line, ...(text === undefined ? { fault: fault! } : rowOf(text)) });
    batch.next = { object: cursor.object, offset, line: nextLine, header };
  };
  const rowOf = (text: string): ExportRow => (header ? reader.csv(header, csvFields(text)) : reader.json(text));
  for await (const records of cut(bucket, object, format, cursor))
    for (const record of records) {
      add(record);
      length += record.text?.length ?? 0;
      if (batch.rows.length < rowsPerBatch && length < maxBatchLength) continue;
      yield { ...batch, header };
      length = 0;
      batch = { rows: [], next: batch.next };
    }
  if (format === 'csv' && !header) throw new ExportFault(`${object.key} has no header`);
  yield { rows: batch.rows, header, next: firstOf(cursor.object + 1) };
}

function headerOf({ key }: ExportObject, { text, fault }: ExportRecord, columns: WarehouseSource['columns']): string[] {
  const header = text === undefined ? undefined : csvFields(text);
  const wrong = header ? headerFault(header, columns) : `has a header that ${fault ?? 'has quotes that do not match'}`;
  if (wrong) throw new ExportFault(`${key} ${wrong}`);
  return header!;
}

async function* cut(
  bucket: string,
  object: ExportObject,
  format: WarehouseSource['format'],
  { offset, line }: ImportCursor,
): AsyncGenerator<ExportRecord[]> {
  const splitter = new RecordSplitter(format, { offset, line });
  for await (const piece of contentOf(bucket, object, offset)) yield splitter.push(piece);
  yield splitter.end();
}

/** An object's content from a byte on; gzip is decompressed, always from its beginning. */
async function* contentOf(bucket: string, object: ExportObject, from: number): AsyncGenerator<Uint8Array> {
  if (!(await isGzip(bucket, object))) return yield* readExport(bucket, object, from);
  const packed = Readable.from(readExport(bucket, object), { objectMode: true });
  const unpacked = createGunzip({ chunkSize: inflatedBytes });
  packed.on('error', (error) => unpacked.destroy(error));
  packed.pipe(unpacked);
  try {
    let at = 0;
    for await (const piece of unpacked as AsyncIterable<Buffer>) {
      if (at + piece.length > from) yield piece.subarray(Math.max(0, from - at));
      at += piece.length;
    }
  } catch (error) {
    if (!/^Z_/.test((error as { code?: string }).code ?? '')) throw error;
    throw new ExportFault(`${object.key} is not a whole gzip file`);
  } finally {
    packed.destroy();
    unpacked.destroy();
  }
}

async function isGzip(bucket: string, object: ExportObject): Promise<boolean> {
  for await (const start of readExport(bucket, { ...object, size: Math.min(object.size, gzipMagic.length) }))
    return gzipMagic.equals(start);
  return false;
}
