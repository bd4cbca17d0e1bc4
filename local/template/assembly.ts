import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Problem } from '../problem.ts';
import type { Template } from './resource.ts';

const project = resolve(import.meta.dirname, '../..');

/** Builds the functions and synthesizes the CDK app into an empty folder; `context` is as for `cdk -c`. */
export async function synthesize(outputFolder: string, context: Record<string, string> = {}): Promise<void> {
  rmSync(outputFolder, { recursive: true, force: true });
  const app = spawn(process.execPath, [join('bin', 'app.ts')], {
    cwd: project,
    env: {
      ...process.env,
      CDK_OUTDIR: outputFolder,
      // The checks are for deployments, and take longer than the rest of the synthesis.
      CDK_VALIDATION: 'false',
      ...(Object.keys(context).length > 0 && { CDK_CONTEXT_JSON: JSON.stringify(context) }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [app.stdout, app.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise<number | null>((done, fail) => app.on('error', fail).on('close', done));
  if (code !== 0)
    throw new Problem(`The CDK app could not be synthesized (node bin/app.ts ended with ${code}):\n${output.trim()}`);
}

/** Reads the templates and assets of every stack in a cloud assembly. */
export function readAssembly(folder: string): Template[] {
  const manifestFile = join(folder, 'manifest.json');
  if (!existsSync(manifestFile))
    throw new Problem(`There is no cloud assembly in ${folder}: manifest.json is missing.`);
  const { artifacts = {} } = readJson(manifestFile) as {
    artifacts?: Record<string, { type: string; properties?: { templateFile?: string; stackName?: string } }>;
  };
  return Object.entries(artifacts).flatMap(([id, { type, properties }]) => {
    if (type !== 'aws:cloudformation:stack' || !properties?.templateFile) return [];
    const body = readJson(join(folder, properties.templateFile)) as Template['body'];
    return [{ stack: properties.stackName ?? id, body, assets: readAssets(folder, id) }];
  });
}

function readAssets(folder: string, artifact: string): Record<string, string> {
  const file = join(folder, `${artifact}.assets.json`);
  if (!existsSync(file)) return {};
  const { files = {} } = readJson(file) as { files?: Record<string, { source: { path: string } }> };
  return Object.fromEntries(Object.entries(files).map(([hash, { source }]) => [hash, resolve(folder, source.path)]));
}

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(file, 'utf8'));
}
