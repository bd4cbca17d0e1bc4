import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Problem } from '../problem.ts';
import type { Template } from './resource.ts';

const project = resolve(import.meta.dirname, '../..');

/** Builds the functions and synthesizes the CDK app into a folder, in a process of its own; `context` is what `cdk -c` would say. */
export async function synthesize(outputFolder: string, context: Record<string, string> = {}): Promise<void> {
  const app = spawn(process.execPath, [join('bin', 'app.ts')], {
    cwd: project,
    // The checks guard what is deployed; they take longer than everything else here together.
    env: { ...process.env, CDK_OUTDIR: outputFolder, CDK_VALIDATION: 'false', ...contextVariable(context) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [app.stdout, app.stderr]) stream.on('data', (chunk) => (output += chunk));
  const code = await new Promise<number | null>((done, fail) => app.on('error', fail).on('close', done));
  if (code !== 0)
    throw new Problem(`The CDK app could not be synthesized (node bin/app.ts ended with ${code}):\n${output.trim()}`);
}

/** The CDK reads its context from here. */
function contextVariable(context: Record<string, string>): Record<string, string> {
  return Object.keys(context).length > 0 ? { CDK_CONTEXT_JSON: JSON.stringify(context) } : {};
}

/** Reads the templates and assets of every stack in a cloud assembly. */
export function readAssembly(folder: string): Template[] {
  const manifestFile = join(folder, 'manifest.json');
  if (!existsSync(manifestFile))
    throw new Problem(`There is no cloud assembly in ${folder}: manifest.json is missing.`);
  const { artifacts = {} } = readJson(manifestFile) as { artifacts?: Record<string, Artifact> };
  return Object.entries(artifacts).flatMap(([id, { type, properties }]) => {
    if (type === 'cdk:cloud-assembly') return readAssembly(join(folder, properties?.directoryName ?? id));
    if (type !== 'aws:cloudformation:stack' || !properties?.templateFile) return [];
    const stack = properties.stackName ?? id;
    return [
      {
        stack,
        body: readJson(join(folder, properties.templateFile)) as Template['body'],
        assets: readAssets(folder, id),
      },
    ];
  });
}

interface Artifact {
  type: string;
  properties?: { templateFile?: string; stackName?: string; directoryName?: string };
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
