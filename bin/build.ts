// Bundles every function into dist/functions/<name>; run by itself it lists their sizes, with `--report` also what they hold.
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { analyzeMetafile, build, type Metafile } from 'esbuild';
import { catalogue } from '../functions/catalogue.ts';
import { openapi } from '../shared/http/openapi.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = join(root, 'dist/functions');

// Lambda hands credentials over in the environment; the SDK would load these other sources only if they were missing there.
const otherCredentials = [
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/credential-provider-imds',
];

// These read a file that lies beside their own: they travel as they are, in the folders of the bundles that load them.
const packages: Record<string, string[]> = {
  mrml: ['package.json', 'nodejs/mrml_wasm.js', 'nodejs/mrml_wasm_bg.wasm'],
};

/** Bundles all functions in one pass and writes the OpenAPI document beside the one that serves it; a file that did not change is left alone, and no reader ever sees half of one. */
export async function buildFunctions(): Promise<Metafile> {
  const { outputFiles, metafile } = await build({
    entryPoints: await entryPoints(),
    outdir: output,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // ES modules first: what a bundle does not use falls out of it.
    mainFields: ['module', 'main'],
    external: [...otherCredentials, ...Object.keys(packages)],
    minify: true,
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const document = {
    path: join(output, 'openapi/openapi.json'),
    contents: Buffer.from(JSON.stringify(openapi(catalogue))),
  };
  const files = [...outputFiles, document, ...(await packagesOf(metafile))];
  await Promise.all(files.map((file) => writeIfChanged(file.path, file.contents)));
  return metafile;
}

/** The files of the packages that the bundles load, each in the `node_modules` of its bundle's folder. */
async function packagesOf({ outputs }: Metafile): Promise<{ path: string; contents: Uint8Array }[]> {
  const wanted = Object.entries(outputs).flatMap(([path, { imports }]) =>
    Object.entries(packages).flatMap(([name, files]) =>
      imports.some((imported) => imported.path === name)
        ? files.map((file) => ({ from: join('node_modules', name, file), beside: dirname(path) }))
        : [],
    ),
  );
  return Promise.all(
    wanted.map(async ({ from, beside }) => ({
      path: join(root, beside, from),
      contents: await readFile(join(root, from)),
    })),
  );
}

/** Output name → source: functions/<folder>/index.ts and functions/workers/<name>.ts. */
async function entryPoints(): Promise<Record<string, string>> {
  const entries: Record<string, string> = {};
  for (const folder of await readdir(join(root, 'functions'), { withFileTypes: true })) {
    if (!folder.isDirectory()) continue;
    const directory = join('functions', folder.name);
    for (const file of await readdir(join(root, directory))) {
      if (folder.name === 'workers' ? file.endsWith('.ts') : file === 'index.ts') {
        const name = folder.name === 'workers' ? basename(file, '.ts') : folder.name;
        entries[`${name}/index`] = join(directory, file);
      }
    }
  }
  return entries;
}

async function writeIfChanged(path: string, contents: Uint8Array): Promise<void> {
  const before = await readFile(path).catch(() => undefined);
  if (before?.equals(contents)) return;
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}`;
  await writeFile(partial, contents);
  await rename(partial, path);
}

if (import.meta.main) {
  const metafile = await buildFunctions();
  if (process.argv.includes('--report')) console.log(await analyzeMetafile(metafile));
  for (const [path, { bytes }] of Object.entries(metafile.outputs))
    console.log(`${(bytes / 1024).toFixed(0).padStart(6)} KB  ${path}`);
}
