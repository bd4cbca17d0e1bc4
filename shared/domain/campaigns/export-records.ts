/** The formats of an export. */
export const exportFormats = ['csv', 'jsonl'] as const;

/** The format of an export: CSV with a header (RFC 4180), or one JSON object a line. */
export type ExportFormat = (typeof exportFormats)[number];

/** A record of an export, or why it cannot be read; the next one begins at byte `end` on line `nextLine`. */
export interface ExportRecord {
  line: number;
  end: number;
  nextLine: number;
  text?: string;
  fault?: string;
}

/** The limit of a record in bytes: an open quote would otherwise take in the rest of the file. */
const maxRecordBytes = 256 * 1024;
const [newline, carriageReturn, quote, comma] = [10, 13, 34, 44];
const byteOrderMark = Buffer.from('\ufeff');

/**
 * Splits the bytes of an export into records, from the end of any record on, in pieces of any size. A line break in
 * quotes does not end a record; an unreadable record costs its own line only.
 */
export class RecordSplitter {
  readonly #endOf: (bytes: Buffer, from: number) => number;
  #rest: Buffer = Buffer.alloc(0);
  /** Byte at which the rest begins. */
  #offset: number;
  #line: number;
  #discarding = false;
  #atStart: boolean;

  constructor(format: ExportFormat, start: { offset: number; line: number }) {
    this.#endOf = format === 'csv' ? endOfCsv : endOfLine;
    this.#offset = start.offset;
    this.#line = start.line;
    this.#atStart = start.offset === 0;
  }

  /** Adds a piece; returns the records that it completes. */
  push(piece: Uint8Array): ExportRecord[] {
    this.#rest = this.#rest.length === 0 ? Buffer.from(piece) : Buffer.concat([this.#rest, piece]);
    if (this.#atStart) {
      if (this.#rest.length < byteOrderMark.length) return [];
      this.#atStart = false;
      if (this.#rest.indexOf(byteOrderMark) === 0) this.#take(byteOrderMark.length);
    }
    return this.#cut(false);
  }

  /** Returns the last records of the export. */
  end(): ExportRecord[] {
    this.#atStart = false;
    const size = this.#offset + this.#rest.length;
    if (this.#rest.at(-1) !== newline) this.#rest = Buffer.concat([this.#rest, Buffer.of(newline)]);
    return this.#cut(true).map((record) => ({ ...record, end: Math.min(record.end, size) }));
  }

  #cut(last: boolean): ExportRecord[] {
    const records: ExportRecord[] = [];
    let from = 0;
    const whole = (end: number, fault?: string): ExportRecord => {
      const line = this.#line;
      this.#line += newlinesIn(this.#rest, from, end);
      const text = fault ? undefined : this.#rest.toString('utf8', from, end).replace(/\r?\n$/, '');
      const unreadable = fault ?? (text?.includes('\ufffd') ? 'is not UTF-8' : undefined);
      return {
        line,
        end: this.#offset + end,
        nextLine: this.#line,
        ...(unreadable ? { fault: unreadable } : { text }),
      };
    };
    while (from < this.#rest.length) {
      const lineEnd = endOfLine(this.#rest, from);
      if (this.#discarding) {
        if (lineEnd < 0) from = this.#rest.length;
        else {
          this.#discarding = false;
          this.#line++;
          from = lineEnd;
        }
        continue;
      }
      const end = this.#endOf(this.#rest, from);
      const open = end < 0 && (last || this.#rest.length - from > maxRecordBytes);
      if (end < 0 && !open) break;
      if (end >= 0 && end - from <= maxRecordBytes) {
        const record = whole(end);
        if (record.text?.trim() !== '') records.push(record);
        from = end;
      } else if (lineEnd >= 0) {
        const fault = lineEnd - from > maxRecordBytes ? 'is longer than 256 KB' : 'has a quote that is not closed';
        records.push(whole(lineEnd, fault));
        from = lineEnd;
      } else {
        records.push(whole(this.#rest.length, 'is longer than 256 KB'));
        this.#discarding = true;
        from = this.#rest.length;
      }
    }
    this.#take(from);
    return records;
  }

  #take(bytes: number): void {
    this.#offset += bytes;
    this.#rest = this.#rest.subarray(bytes);
  }
}

/** The byte after the line at `from`; -1 while its line break is not read yet. */
function endOfLine(bytes: Buffer, from: number): number {
  const at = bytes.indexOf(newline, from);
  return at < 0 ? -1 : at + 1;
}

function endOfCsv(bytes: Buffer, from: number): number {
  const lineEnd = endOfLine(bytes, from);
  if (lineEnd < 0) return -1;
  if (!bytes.subarray(from, lineEnd).includes(quote)) return lineEnd;
  for (let at = from; ; at++) {
    if (bytes[at] === quote) {
      at = closingQuote(bytes, at + 1) + 1;
      if (at === 0) return -1;
      // Text after a closing quote: an earlier quote was left open, so its line is skipped.
      if (bytes[at] !== comma && bytes[at] !== newline && bytes[at] !== carriageReturn) return lineEnd;
    }
    while (at < bytes.length && bytes[at] !== comma && bytes[at] !== newline) at++;
    if (at >= bytes.length) return -1;
    if (bytes[at] === newline) return at + 1;
  }
}

/** The quote that closes a field; two in a row are an escaped one. */
function closingQuote(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(quote, from); at >= 0; at = bytes.indexOf(quote, at + 2)) {
    if (at + 1 === bytes.length) return -1;
    if (bytes[at + 1] !== quote) return at;
  }
  return -1;
}

function newlinesIn(bytes: Buffer, from: number, end: number): number {
  let count = 0;
  for (let at = bytes.indexOf(newline, from); at >= 0 && at < end; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
}

/** The fields of a CSV record; undefined where its quotes do not match. */
export function csvFields(record: string): string[] | undefined {
  if (!record.includes('"')) return record.split(',');
  const fields: string[] = [];
  for (let at = 0; ; at++) {
    if (record[at] !== '"') {
      const end = record.indexOf(',', at);
      fields.push(end < 0 ? record.slice(at) : record.slice(at, end));
      if (end < 0) return fields;
      at = end;
      continue;
    }
    let close = record.indexOf('"', at + 1);
    while (close >= 0 && record[close + 1] === '"') close = record.indexOf('"', close + 2);
    if (close < 0) return undefined;
    fields.push(record.slice(at + 1, close).replaceAll('""', '"'));
    at = close + 1;
    if (at === record.length) return fields;
    if (record[at] !== ',') return undefined;
  }
}
