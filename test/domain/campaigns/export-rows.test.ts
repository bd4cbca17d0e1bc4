import { expect, it } from 'vitest';
import { headerFault, rowReader } from '../../../shared/domain/campaigns/export-rows.ts';
import { holdsRows } from '../../../shared/domain/campaigns/warehouse.ts';

const reader = rowReader({ email: 'email' });
const header = ['EMAIL', ' First_Name ', 'last_name', 'Plan', ''];

it('finds columns in any case and with spaces, and keeps the others under their own names', () => {
  expect(reader.csv(header, [' Ann@X.Example', ' Ann ', '', 'gold', 'nameless'])).toEqual({
    person: { email: 'ann@x.example', first_name: 'Ann', metadata: { Plan: 'gold' } },
  });
  expect(reader.json('{"Email":"ann@x.example","FIRST_NAME":null,"plan":{"name":"gold"},"seats":3}')).toEqual({
    person: { email: 'ann@x.example', metadata: { plan: { name: 'gold' }, seats: 3 } },
  });
});

it('reads the configured columns', () => {
  const columns = { email: 'E-Mail', first_name: 'Vorname' };
  expect(headerFault(['e-mail', 'vorname', 'first_name'], columns)).toBeUndefined();
  expect(rowReader(columns).csv(['e-mail', 'vorname', 'first_name'], ['a@x.example', 'Ann', 'other'])).toEqual({
    person: { email: 'a@x.example', first_name: 'Ann', metadata: { first_name: 'other' } },
  });
});

it.each([
  [['mail'], 'has no column "email"'],
  [['email', 'Email '], 'has the column "email" more than once'],
  [['email', 'plan', 'plan'], 'has the column "plan" more than once'],
  [['email', 'x'.repeat(40_000)], 'has a header of more than 32 KB'],
])('refuses the header %.40s', (names, fault) => {
  expect(headerFault(names, { email: 'email' })).toBe(fault);
});

it.each([
  [['a@x.example'], 'has 1 fields where the header has 5'],
  [['', 'Ann', '', '', ''], 'an email address is required'],
  [['ann', 'Ann', '', '', ''], 'not an email address: it has no local part before an @'],
  [['a@x.example', 'x'.repeat(256), '', '', ''], 'a name has at most 255 characters'],
  [['a@x.example', 'An\nn', '', '', ''], 'a name has no line breaks or control characters'],
  [['a@x.example', '', '', 'x'.repeat(17_000), ''], 'merge values: at most 16 KB of JSON'],
  [undefined, 'has quotes that do not match'],
])('reports the fault of a CSV row', (fields, fault) => {
  expect(reader.csv(header, fields)).toEqual({ fault });
});

it.each([
  ['{"email":', 'is not JSON'],
  ['["a@x.example"]', 'is not a JSON object'],
  ['null', 'is not a JSON object'],
  ['{"email":5}', 'email is not text'],
  ['{"name":"Ann"}', 'an email address is required'],
])('reports the fault of the JSON row %s', (text, fault) => {
  expect(reader.json(text)).toEqual({ fault });
});

it.each([
  ['teams/1/part-0000.csv', true],
  ['teams/1/2026_11/data', true],
  ['teams/1/_SUCCESS', false],
  ['teams/1/.part.crc', false],
  ['teams/1/unloadmanifest', false],
  ['teams/1/abc.csv.metadata', false],
  ['teams/1/folder/', false],
])('knows that %s holds rows: %s', (key, rows) => {
  expect(holdsRows({ key, size: 1, etag: '' })).toBe(rows);
  expect(holdsRows({ key, size: 0, etag: '' })).toBe(false);
});

it('reads columns with names that JavaScript reserves', () => {
  const { person } = reader.json('{"email":"a@x.example","__proto__":"x","constructor":"y"}');
  expect(JSON.stringify(person?.metadata)).toBe('{"__proto__":"x","constructor":"y"}');
});
