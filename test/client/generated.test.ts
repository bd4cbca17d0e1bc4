import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { generateClient } from '../../bin/client/generate.ts';
import { methodName } from '../../bin/client/methods.ts';
import { catalogue, webhookPayloads } from '../../functions/catalogue.ts';
import { openapi } from '../../shared/http/openapi.ts';

const generated = generateClient(openapi(catalogue, webhookPayloads));

it.each(Object.entries(generated))('client/src/generated/%s is up to date: run npm run client', (name, source) => {
  expect(readFileSync(`client/src/generated/${name}`, 'utf8')).toBe(source);
});

it.each(Object.values(catalogue).flatMap((folder) => Object.values(folder)))(
  'has a method for $method $path',
  (endpoint) => {
    expect(generated['api.ts']).toContain(`${endpoint.method} ${endpoint.path} */`);
  },
);

it.each([
  ['contacts', 'bulkUpsertContacts', 'bulkUpsert'],
  ['contacts', 'addContactTags', 'addTags'],
  ['lists', 'listListContacts', 'listContacts'],
  ['api-keys', 'createApiKey', 'create'],
  ['api-keys', 'listScopes', 'listScopes'],
  ['send', 'sendMessage', 'message'],
  ['ai', 'getAiUsage', 'getUsage'],
  ['ai', 'polishContent', 'polishContent'],
])('of %s calls %s %s', (folder, operationId, name) => {
  expect(methodName(folder, operationId)).toBe(name);
});

it('keeps the type of a method when its response has values beyond the contract beside `data`', () => {
  expect(generated['api.ts']).toContain(
    'getLinkReport(campaign: number, options?: RequestOptions): Promise<LinkReportRow[]>',
  );
  expect(generated['api.ts']).toContain('options?: RequestOptions): Promise<BulkUpsertContactsResult>');
});
