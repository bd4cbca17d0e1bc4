import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SendBulkEmailCommand } from '@aws-sdk/client-sesv2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bulk, startSes } from './ses-harness.ts';

/** Sends without pause; writes accepted ids to standard output and published ids to a file. */
const SENDER = `
  import { appendFileSync } from 'node:fs';
  const [server, file, log] = process.argv.slice(1);
  const { openSes } = await import(server);
  const ses = openSes({
    file, trackingBaseUrl: '', maxSendRate: 1e9,
    configurationSets: [{ name: 'set', destinations: [{ topicArn: 'a:b:c:d:e:f', matchingEventTypes: ['delivery'] }] }],
    publish: async (_, message) => appendFileSync(log, JSON.parse(message).mail.messageId + '\\n'),
  });
  ses.verifyIdentity('a.example');
  const entries = Array.from({ length: 50 }, (_, n) => ({ Destination: { ToAddresses: [n + '@b.example'] } }));
  const body = Buffer.from(JSON.stringify({
    FromEmailAddress: 'x@a.example', ConfigurationSetName: 'set', BulkEmailEntries: entries,
    DefaultContent: { Template: { TemplateContent: { Subject: 's', Text: 't' } } },
  }));
  for (;;) {
    const answer = ses.handle({ method: 'POST', path: '/v2/email/outbound-bulk-emails', headers: {}, body });
    for (const { MessageId } of JSON.parse(answer.body).BulkEmailEntryResults) process.stdout.write(MessageId + '\\n');
    await new Promise((resolve) => setTimeout(resolve));
  }`;

describe('durability of the local SES', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ses-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('publishes pending events after the next start', async () => {
    const file = join(folder, 'ses.db');
    const stopped = await startSes({ file, publish: () => Promise.reject(new Error('the topic is down')) });
    await stopped.client.send(
      new SendBulkEmailCommand(bulk([{ to: 'bob@b.example', data: { name: 'Bob' } }], { set: 'tracked' })),
    );
    expect(stopped.ses.pending()).toBe(1);
    await stopped.close();

    const started = await startSes({ file });
    expect(await started.published()).toMatchObject([
      { eventType: 'Delivery', mail: { destination: ['bob@b.example'] } },
    ]);
    expect(started.ses.messages({})).toMatchObject([{ to: 'bob@b.example', subject: 'Hello Bob' }]);
    await started.close();
  });

  it('keeps identities and the daily quota after a restart', async () => {
    const file = join(folder, 'ses.db');
    const call = new SendBulkEmailCommand(
      bulk([{ to: 'bob@b.example', data: { name: 'Bob' } }], { from: 'x@c.example' }),
    );
    const first = await startSes({ file });
    first.ses.verifyIdentity('c.example');
    await first.client.send(call);
    await first.close();
    const second = await startSes({ file, max24HourSend: 1 });
    await expect(second.client.send(call)).rejects.toMatchObject({ name: 'LimitExceededException' });
    await second.close();
  });

  it('after SIGKILL keeps every answered message, and publishes an event for every accepted one', async () => {
    const file = join(folder, 'ses.db');
    const log = join(folder, 'published');
    const server = new URL('../../local/ses/server.ts', import.meta.url).href;
    const answered = new Set<string>();
    for (const [round, delay] of [40, 120, 75].entries()) {
      const sender = spawn(process.execPath, ['--input-type=module', '-e', SENDER, server, file, log], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      sender.stdout.on('data', (chunk) => {
        output += chunk;
      });
      await once(sender.stdout, 'data');
      await new Promise((resolve) => setTimeout(resolve, delay));
      sender.kill('SIGKILL');
      await once(sender, 'close');
      for (const id of output.split('\n').slice(0, -1)) answered.add(id);
      expect(answered.size).toBeGreaterThan(50 * round);
    }

    const after = await startSes({
      file,
      configurationSets: [
        { name: 'set', destinations: [{ topicArn: 'a:b:c:d:e:f', matchingEventTypes: ['delivery'] }] },
      ],
    });
    const late = (await after.published()).map(({ mail }) => mail.messageId);
    const published = new Set([...readFileSync(log, 'utf8').split('\n').filter(Boolean), ...late]);
    const accepted = new Set(after.ses.messages({}).map(({ message_id }) => message_id));
    expect([...answered].filter((id) => !accepted.has(id))).toEqual([]);
    expect(published).toEqual(accepted);
    await after.close();
  });
});
