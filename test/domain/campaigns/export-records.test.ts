import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  csvFields,
  type ExportFormat,
  type ExportRecord,
  RecordSplitter,
} from '../../../shared/domain/campaigns/export-records.ts';

function split(
  content: Buffer,
  sizes: readonly number[],
  format: ExportFormat = 'csv',
  start = { offset: 0, line: 1 },
) {
  const splitter = new RecordSplitter(format, start);
  const records: ExportRecord[] = [];
  let at = start.offset;
  for (let turn = 0; at < content.length; turn++) {
    const size = sizes[turn % sizes.length] ?? content.length;
    records.push(...splitter.push(content.subarray(at, at + size)));
    at += size;
  }
  return [...records, ...splitter.end()];
}

const fieldsOf = (records: readonly ExportRecord[]) => records.map(({ text }) => text && csvFields(text));
const quoted = (field: string) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);
const field = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r\n', ' ', ';', '😀') });
const table = fc.array(fc.tuple(fc.constantFrom('x', 'y'), field, field), { minLength: 1 });
const csv = (rows: readonly (readonly string[])[], lineBreak: string) =>
  Buffer.from(rows.map((row) => row.map(quoted).join(',')).join(lineBreak));
const pieces = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });

it('reads back any CSV, in pieces of any size', () => {
  fc.assert(
    fc.property(table, fc.constantFrom('\n', '\r\n'), pieces, (rows, lineBreak, sizes) => {
      expect(fieldsOf(split(csv(rows, lineBreak), sizes))).toEqual(rows);
    }),
  );
});

it('continues at the end of any record with the same records and line numbers', () => {
  fc.assert(
    fc.property(table, pieces, fc.nat(), (rows, sizes, choice) => {
      const content = csv(rows, '\r\n');
      const whole = split(content, [content.length]);
      const stop = choice % whole.length;
      const { end, nextLine } = whole[stop]!;
      expect(split(content, sizes, 'csv', { offset: end, line: nextLine })).toEqual(whole.slice(stop + 1));
    }),
  );
});

it('counts lines as an editor does, and skips empty ones and a byte order mark', () => {
  const content = Buffer.from('\ufeffa,b\r\n1,"x\ny"\r\n\r\n2,z\n   \n3,w');
  const records = split(content, [2]);
  expect(records.map(({ line, text }) => [line, text])).toEqual([
    [1, 'a,b'],
    [2, '1,"x\ny"'],
    [5, '2,z'],
    [7, '3,w'],
  ]);
  expect(records.at(-1)!.end).toBe(content.length);
});

it.each([
  [
    'a quote left open before other quotes',
    'a,"open\nb,"fine"\nc,d\n',
    [
      [1, undefined],
      [2, ['b', 'fine']],
      [3, ['c', 'd']],
    ],
  ],
  [
    'a quote left open where all fields are quoted',
    '"a","open\n"b","fine"\n"open\n"c","d"\n',
    [
      [1, undefined],
      [2, ['b', 'fine']],
      [3, undefined],
      [4, ['c', 'd']],
    ],
  ],
  [
    'text after a closing quote',
    'a,"b"c\nd,e\n',
    [
      [1, undefined],
      [2, ['d', 'e']],
    ],
  ],
  [
    'a quote left open to the end',
    'a,b\nc,"open\nd,e\n',
    [
      [1, ['a', 'b']],
      [2, undefined],
      [3, ['d', 'e']],
    ],
  ],
])('loses one line to %s, and nothing after it', (_what, content, expected) => {
  for (const size of [1, 3, 1_000])
    expect(
      split(Buffer.from(content), [size]).map(({ line, text }) => [
        line,
        text === undefined ? undefined : csvFields(text),
      ]),
    ).toEqual(expected);
});

it('keeps a quote inside an unquoted field', () => {
  expect(csvFields('a,5" pipe,b')).toEqual(['a', '5" pipe', 'b']);
});

it('skips a record of more than 256 KB and reads the next one', () => {
  const long = 'x'.repeat(300_000);
  for (const content of [`a\n"${long}\nb\n`, `a\n${long}\nb\n`, `a\n"${long}\n${long}"\nb\n`]) {
    const records = split(Buffer.from(content), [64 * 1024]);
    expect(records[0]!.text).toBe('a');
    expect(records.at(-1)!.text).toBe('b');
    expect(records.filter(({ fault }) => fault).length).toBeGreaterThan(0);
  }
});

it('reports a record that is not UTF-8', () => {
  const [first, second] = split(Buffer.from('Andr\xe9\nAndré\n', 'latin1'), [3]);
  expect(first).toMatchObject({ line: 1, fault: 'is not UTF-8' });
  expect(second).toMatchObject({ line: 2 });
});

it('ends a record of JSON lines at every line break', () => {
  const content = Buffer.from('{"a":"\\"x"}\r\n\n{"b":1}');
  expect(split(content, [4], 'jsonl').map(({ text }) => text)).toEqual(['{"a":"\\"x"}', '{"b":1}']);
});
