// Bundles every function into dist/functions/<name>. Run directly, it prints the sizes; `--report` adds the contents.
import { globSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { analyzeMetafile, type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';
import { catalogue, webhookPayloads } from '../functions/catalogue.ts';
import { openapi } from '../shared/http/openapi.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = join(root, 'dist/functions');

// Lambda passes credentials in the environment, so the SDK never loads these other sources.
const otherCredentials = [
  '@aws-sdk/credential-provider-http',
  '@aws-sdk/credential-provider-ini',
  '@aws-sdk/credential-provider-process',
  '@aws-sdk/credential-provider-sso',
  '@aws-sdk/credential-provider-web-identity',
  '@smithy/credential-provider-imds',
];

// Loaded at first use from the `node_modules` beside a bundle, which keeps cold starts short. mrml is copied because it
// reads a file beside its own; the others are bundled into one file each.
const packages: Record<string, () => Promise<Files>> = {
  mrml: () => copied('mrml', ['package.json', 'nodejs/mrml_wasm.js', 'nodejs/mrml_wasm_bg.wasm']),
  'html-to-text': () => bundled('html-to-text'),
  htmlparser2: () => bundled('htmlparser2', ['Parser']),
  'parse-english': () => bundled('parse-english', ['ParseEnglish']),
  '@aws-sdk/client-bedrock-runtime': () =>
    bundled('@aws-sdk/client-bedrock-runtime', ['BedrockRuntimeClient', 'ConverseCommand']),
  '@aws-sdk/client-s3': () => bundled('@aws-sdk/client-s3', ['S3Client', 'GetObjectCommand', 'ListObjectsV2Command']),
};

/** Files of a package by path. */
type Files = Record<string, Uint8Array>;

async function copied(name: string, files: readonly string[]): Promise<Files> {
  const read = async (file: string) => [file, await readFile(join(root, 'node_modules', name, file))] as const;
  return Object.fromEntries(await Promise.all(files.map(read)));
}

/** A package as one file, with only the exports `used` if given. */
async function bundled(name: string, used?: readonly string[]): Promise<Files> {
  const contents = `export ${used ? `{ ${used.join(', ')} }` : '*'} from ${JSON.stringify(name)};`;
  const { outputFiles } = await build({
    ...settings,
    stdin: { contents, resolveDir: root },
    external: otherCredentials,
    metafile: false,
  });
  const manifest = JSON.stringify({ name, type: 'module', exports: './index.mjs' });
  return { 'index.mjs': outputFiles[0]!.contents, 'package.json': Buffer.from(manifest) };
}

/** Clients of the SDK import their whole package.json, for its version. */
const versions: Plugin = {
  name: 'versions',
  setup({ onLoad }) {
    onLoad({ filter: /@aws-sdk\/client-[^/]+\/package\.json$/ }, async ({ path }) => {
      const { version } = JSON.parse(await readFile(path, 'utf8'));
      return { contents: JSON.stringify({ version }), loader: 'json' };
    });
  },
};

const settings = {
  outdir: output,
  outExtension: { '.js': '.mjs' },
  absWorkingDir: root,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // ES modules first, for tree shaking.
  mainFields: ['module', 'main'],
  minify: true,
  legalComments: 'none',
  plugins: [versions],
  write: false,
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** Bundles all functions and writes the OpenAPI document beside those that serve it; replaces files atomically. */
export async function buildFunctions(): Promise<Metafile> {
  const { outputFiles, metafile } = await build({
    ...settings,
    entryPoints: entryPoints(),
    external: [...otherCredentials, ...Object.keys(packages)],
    metafile: true,
  });
  const contents = Buffer.from(JSON.stringify(openapi(catalogue, webhookPayloads)));
  const documents = ['openapi', 'pages'].map((name) => ({ path: join(output, name, 'openapi.json'), contents }));
  const files = [...outputFiles, ...documents, ...(await packagesOf(metafile))];
  await Promise.all(files.map((file) => writeIfChanged(file.path, file.contents)));
  return metafile;
}

/** The files of the packages that each bundle loads, in a `node_modules` beside it. */
async function packagesOf({ outputs }: Metafile): Promise<{ path: string; contents: Uint8Array }[]> {
  const placed = Object.entries(packages).map(async ([name, files]) => {
    const loaders = Object.entries(outputs).filter(([, { imports }]) => imports.some(({ path }) => path === name));
    const contents = Object.entries(await files());
    return loaders.flatMap(([bundle]) =>
      contents.map(([file, contents]) => ({ path: join(root, dirname(bundle), 'node_modules', name, file), contents })),
    );
  });
  return (await Promise.all(placed)).flat();
}

/** Output name → source: functions/<folder>/index.ts and functions/workers/<name>.ts. */
function entryPoints(): Record<string, string> {
  const files = globSync('functions/{*/index,workers/*}.ts', { cwd: root });
  const nameOf = (file: string) => basename(file === join(dirname(file), 'index.ts') ? dirname(file) : file, '.ts');
  return Object.fromEntries(files.sort().map((file) => [`${nameOf(file)}/index`, file]));
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
