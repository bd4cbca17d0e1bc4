import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ended, readyCampaign, rows } from '../support/campaign.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { enrol, newContacts, newSequence, newStep } from '../support/sequence.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { newTeam } from '../support/team.ts';
import { idle, subscribe } from '../support/webhooks.ts';

let folder: string;
let stack: Stack;
let receiver: Receiver;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-groups-'));
  const context = { webhookAllowLoopback: 'true' };
  [stack, receiver] = await Promise.all([startStack({ data: folder, context }), startReceiver()]);
});
afterAll(async () => {
  await stack?.stop();
  await receiver?.stop();
  await rm(folder, { recursive: true, force: true });
});

interface Added {
  add?: number;
  queue: string;
  message: { messageGroupId?: string };
}

it("puts a team's messages into its own group on every queue that teams share", async () => {
  const team = await newTeam({ origin: stack.origin });
  await subscribe(team, `${receiver.url}/hook`);
  const sequence = await newSequence(team, [newStep('Only')]);
  await newContacts(team, ['ann@example.com']);
  await enrol(team, sequence, ['ann@example.com']);
  const { campaign } = await readyCampaign(team, rows(60));
  await team.data('POST', `/campaigns/${campaign}/send`);
  await ended(stack.origin, team, campaign);
  await idle(stack.origin);
  const journal = await readFile(join(folder, 'queues.jsonl'), 'utf8');
  const added = journal
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Added)
    .filter(({ add }) => add !== undefined);
  const groups = Map.groupBy(added, ({ queue }) => queue.replace('mailwright-dev-', ''));
  // SNS gives its messages no group.
  expect(groups.delete('feedback')).toBe(true);
  expect([...groups.keys()].sort()).toEqual(expect.arrayContaining(['notices', 'send', 'sequences', 'webhooks']));
  for (const [queue, messages] of groups) {
    const found = new Set(messages.map(({ message }) => message.messageGroupId));
    // The sweeps over all teams' sequences are the platform's.
    if (queue === 'jobs') expect(['platform', String(team.id)], queue).toEqual(expect.arrayContaining([...found]));
    else expect([...found], queue).toEqual([String(team.id)]);
  }
});
