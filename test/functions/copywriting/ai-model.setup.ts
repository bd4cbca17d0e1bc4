import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type FakeModel, startModel } from '../../support/bedrock.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { newTeam, type Team } from '../../support/team.ts';

export const modelId = 'us.anthropic.claude-haiku-4-5-20251001-v1:0';
export const data = mkdtempSync(join(tmpdir(), 'mailwright-ai-'));
export let model: FakeModel;
export let stack: Stack;
export let team: Team;

beforeAll(async () => {
  model = await startModel();
  stack = await startStack({
    data,
    context: { bedrockModelId: modelId },
    env: { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: model.endpoint },
  });
});
afterAll(async () => {
  await stack?.stop();
  model?.close();
  rmSync(data, { recursive: true, force: true });
});
beforeEach(async () => {
  team = await newTeam({ origin: stack.origin, plan: 'business' });
});

export const content =
  '<p class="a">Hello {{first_name | default: "there"}}, in order to <b>save time</b> ' +
  'see <a href="https://example.com/a?b=1&amp;c=2">our page</a>.</p>\n<p>Bye &amp; thanks</p>';
export const blocks = [
  { n: 1, text: 'Hello {{first_name | default: "there"}}, in order to [[1]]save time[[2]] see [[3]]our page[[4]].' },
  { n: 2, text: 'Bye & thanks' },
];
export const better = 'Hi {{first_name | default: "there"}}, [[1]]save time[[2]]: see [[3]]our page[[4]].';
export const edit = (text: string, n = 1) => ({
  input: { blocks: [{ n, text }], suggestions: ['Shortened the first line.'] },
});
export const polish = (more: object = {}, headers?: Record<string, string>) =>
  team.api('POST', '/ai/polish', { content, ...more }, headers);
export const used = async () => (await team.api('GET', '/ai/usage')).body.data;
