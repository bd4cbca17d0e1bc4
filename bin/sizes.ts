// `npm run sizes` prints the sizes of the tracked sources with their limits, and exits with 1 when a limit is broken.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';

const maxWidth = 120;
const maxFileLines = 300;
const maxFunctionLines = 40;

const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs', ':!client/src/generated'], { encoding: 'utf8' })
  .trim()
  .split('\n')
  .map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n').slice(0, -1) }));
const product = files.filter(({ path }) => /^(bin|lib|functions|shared|local|client\/src)\//.test(path));

/** Lines that open the body of a top-level function or of a method, in Biome's format. */
const openings = [
  /^(export )?(async )?function\b.* \{$/,
  /^(export )?const \w+ = .*=> \{$/,
  /^\).* \{$/,
  /^ {2}((async|static|get) )*[*#]*\w+\(.*\)(: .*)? \{$/,
  /^ {2}\): .* \{$/,
];

function longFunctions({ path, lines }: (typeof files)[number]): string[] {
  return lines.flatMap((line, start) => {
    if (!openings.some((opening) => opening.test(line))) return [];
    const indent = /^ */.exec(line)![0];
    const length = lines.slice(start).findIndex((other) => other.startsWith(`${indent}}`)) + 1;
    return length > maxFunctionLines ? [`${path}:${start + 1}`] : [];
  });
}

const perFolder = Map.groupBy(product, ({ path }) => dirname(path));
const [folder, { length: inFolder }] = [...perFolder].sort(([, a], [, b]) => b.length - a.length)[0]!;
const lengths = product.map(({ lines }) => lines.length).sort((a, b) => a - b);
const tooLong = product.filter(({ lines }) => lines.length > maxFileLines).map(({ path }) => path);
const tooWide = files.flatMap(({ path, lines }) =>
  lines.flatMap((line, at) => ([...line].length > maxWidth ? [`${path}:${at + 1}`] : [])),
);
const long = product.flatMap(longFunctions);

const sizes: [name: string, value: number, max?: number, where?: readonly string[]][] = [
  [`product files in the largest folder, ${folder}`, inFolder, 25],
  ['median lines of a product file', lengths[Math.floor(lengths.length / 2)]!, 50],
  [`product files over ${maxFileLines} lines`, tooLong.length, 0, tooLong],
  [`lines over ${maxWidth} columns in product, tests and scripts`, tooWide.length, 0, tooWide],
  [`product functions over ${maxFunctionLines} lines`, long.length, undefined, long],
  ['product lines', lengths.reduce((sum, lines) => sum + lines, 0), 47_000],
];
for (const [name, value, max, where = []] of sizes) {
  console.log(`${String(value).padStart(6)}  ${name}${max === undefined ? '' : ` (at most ${max})`}`);
  if (process.argv.includes('--list')) for (const place of where) console.log(`        ${place}`);
  if (max !== undefined && value > max) process.exitCode = 1;
}
