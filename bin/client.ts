// `npm run client` writes the generated part of the TypeScript client from the OpenAPI document.
import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { catalogue, webhookPayloads } from '../functions/catalogue.ts';
import { openapi } from '../shared/http/openapi.ts';
import { generateClient } from './client/generate.ts';

const folder = new URL('../client/src/generated/', import.meta.url);
await mkdir(folder, { recursive: true });
for (const [name, source] of Object.entries(generateClient(openapi(catalogue, webhookPayloads)))) {
  await writeFile(new URL(name, folder), source);
  console.log(fileURLToPath(new URL(name, folder)));
}
