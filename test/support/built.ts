import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';
import type { TestProject } from 'vitest/node';
import { buildFunctions } from '../../bin/build.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The file with what esbuild says of the bundles. */
    metafile: string;
  }
}

/** Builds the bundles of the functions once, for the tests of the infrastructure and all stacks after them. */
export default async function built(project: TestProject): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-built-'));
  const metafile = join(folder, 'metafile.json');
  writeFileSync(metafile, JSON.stringify(await buildFunctions()));
  process.env.CDK_BUNDLES = 'built';
  project.provide('metafile', metafile);
  return () => rmSync(folder, { recursive: true });
}

/** The bundles of the functions by path, from the file of `metafile`. */
export const bundlesIn = (metafile: string): Metafile['outputs'] => JSON.parse(readFileSync(metafile, 'utf8')).outputs;
