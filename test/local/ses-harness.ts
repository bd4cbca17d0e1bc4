import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { openSes, type Ses, type SesOptions } from '../../local/ses/server.ts';

export const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:feedback';
const TYPES = ['delivery', 'bounce', 'complaint', 'reject', 'renderingFailure', 'open', 'click'];

/** A local SES behind HTTP, with the real client and the published events. */
export interface SesUnderTest {
  ses: Ses;
  client: SESv2Client;
  events: SesEvent[];
  /** Waits until every event is published; returns all events so far. */
  published(): Promise<SesEvent[]>;
  close(): Promise<void>;
}

// biome-ignore lint/suspicious/noExplicitAny: tests know the shape of the events
export type SesEvent = any;

/** Starts a server with the verified domain `a.example` and a configuration set `tracked` for all events. */
export async function startSes(options: Partial<SesOptions> = {}): Promise<SesUnderTest> {
  const events: SesEvent[] = [];
  const ses = openSes({
    file: ':memory:',
    publish: async (topicArn, message) => void events.push({ topicArn, ...JSON.parse(message) }),
    trackingBaseUrl: 'http://stack.example',
    configurationSets: [
      { name: 'tracked', destinations: [{ topicArn: TOPIC, matchingEventTypes: TYPES }] },
      { name: 'plain', destinations: [{ topicArn: TOPIC, matchingEventTypes: ['delivery', 'renderingFailure'] }] },
    ],
    ...options,
  });
  ses.verifyIdentity('a.example');

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', headers } = request;
    const answer = ses.handle({ method, path, headers, body: Buffer.concat(chunks) });
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new SESv2Client({
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'eu-west-1',
    credentials: { accessKeyId: 'SendPage', secretAccessKey: 'none' },
    maxAttempts: 1,
  });

  return {
    ses,
    client,
    events,
    async published() {
      while (ses.pending() > 0) await new Promise((resolve) => setTimeout(resolve, 2));
      return events;
    },
    async close() {
      client.destroy();
      await new Promise((resolve) => server.close(resolve));
      await ses.close();
    },
  };
}

/** A SendEmail input with simple content. */
export function simple(to: string, fields: { html?: string; text?: string; from?: string; set?: string } = {}) {
  const { html, text = 'Hi', from = 'Ann <ann@a.example>', set } = fields;
  return {
    FromEmailAddress: from,
    ConfigurationSetName: set,
    Destination: { ToAddresses: [to] },
    Content: {
      Simple: {
        Subject: { Data: 'Hello' },
        Body: html === undefined ? { Text: { Data: text } } : { Html: { Data: html }, Text: { Data: text } },
      },
    },
  };
}

/** A SendBulkEmail input: one entry per recipient, with its slot values. */
export function bulk(
  recipients: Array<{ to: string; data?: object; tags?: Record<string, string>; headers?: Record<string, string> }>,
  fields: { subject?: string; html?: string; text?: string; data?: object; set?: string; from?: string } = {},
) {
  const { subject = 'Hello {{name}}', html = '<p>{{name}}</p>', text = '{{name}}', data, set } = fields;
  return {
    FromEmailAddress: fields.from ?? 'news@a.example',
    ConfigurationSetName: set,
    DefaultContent: {
      Template: {
        TemplateContent: { Subject: subject, Html: html, Text: text },
        TemplateData: data && JSON.stringify(data),
      },
    },
    BulkEmailEntries: recipients.map((recipient) => ({
      Destination: { ToAddresses: [recipient.to] },
      ReplacementEmailContent: {
        ReplacementTemplate: { ReplacementTemplateData: JSON.stringify(recipient.data ?? {}) },
      },
      ReplacementTags: recipient.tags && pairs(recipient.tags),
      ReplacementHeaders: recipient.headers && pairs(recipient.headers),
    })),
  };
}

const pairs = (record: Record<string, string>) => Object.entries(record).map(([Name, Value]) => ({ Name, Value }));
