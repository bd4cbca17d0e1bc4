import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'mailwright-package-'));
const installed = join(folder, 'node_modules/mailwright-client');
let files: string[];

beforeAll(() => {
  const packed = execFileSync('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: 'client',
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  const [{ filename, files: list }] = JSON.parse(packed.slice(packed.indexOf('[\n')));
  files = list.map(({ path }: { path: string }) => path);
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
});
afterAll(() => rmSync(folder, { recursive: true }));

it('contains built JavaScript, types and README, and no sources', () => {
  const modules = ['errors', 'generated/api', 'generated/types', 'index', 'listing', 'transport', 'webhooks'];
  const built = modules.flatMap((name) => [`dist/${name}.d.ts`, `dist/${name}.js`]);
  expect(files.sort()).toEqual(['LICENSE', 'README.md', ...built, 'package.json'].sort());
});

it('runs after installation', () => {
  const code =
    "import { Mailwright } from 'mailwright-client';" +
    "console.log(typeof new Mailwright({ baseUrl: 'http://x', apiKey: 'k' }).contacts.list)";
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd: folder, encoding: 'utf8' });
  expect(out.trim()).toBe('function');
});

it.each(['nodenext', 'bundler'])('compiles the code of its README with module resolution %s', (moduleResolution) => {
  const module = moduleResolution === 'bundler' ? 'esnext' : moduleResolution;
  const blocks = readFileSync('client/README.md', 'utf8').matchAll(/^```ts\n(.*?)^```/gms);
  const around = `declare const process: { env: Record<string, string | undefined> };
declare const campaign: import('mailwright-client').Campaign;
// @ts-expect-error there is no such status: the types are those of the API
client.contacts.list({ status: 'gone' });
`;
  writeFileSync(join(folder, 'use.ts'), [...blocks].map(([, code]) => code).join('\n') + around);
  const options = ['--strict', '--noEmit', '--types', '', '--lib', 'es2022,dom', '--target', 'es2022'];
  const tsc = resolve('node_modules/typescript/bin/tsc');
  const args = [tsc, ...options, '--module', module, '--moduleResolution', moduleResolution, 'use.ts'];
  expect(spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }).stdout).toBe('');
});
