import {
  type BulkEmailEntry,
  type BulkEmailEntryResult,
  GetAccountCommand,
  SESv2Client,
  SendBulkEmailCommand,
  SendEmailCommand,
} from '@aws-sdk/client-sesv2';
import type { AccountLimits } from '../domain/campaigns/send-estimate.ts';
import { config } from './config.ts';

/** One message of a bulk call. */
export interface BulkMessage {
  to: string;
  /** Values of the template's slots. */
  slots: Record<string, string>;
  headers: Record<string, string>;
  tags: Record<string, string>;
}

/** What all messages of a bulk call share. */
export interface BulkContent {
  from: string;
  replyTo: string | null;
  subject: string;
  html: string | undefined;
  text: string | undefined;
}

/** What became of one message: accepted, refused for good, or explicitly not taken now. */
export interface Acceptance {
  outcome: 'accepted' | 'refused' | 'throttled' | 'quota';
  error?: string;
}

let client: SESv2Client | undefined;
/**
 * Never retried by the SDK: whether a lost answer means an accepted message is for the ledger to settle.
 * A connection serves one call: one kept over a freeze of the function breaks at the next write, and would leave a page unknown.
 */
const ses = () => {
  client ??= new SESv2Client({
    maxAttempts: 1,
    requestHandler: {
      connectionTimeout: 3_000,
      requestTimeout: 15_000,
      throwOnRequestTimeout: true,
      httpsAgent: { keepAlive: false, maxSockets: 50 },
    },
  });
  return client;
};

let account: { value: AccountLimits; readAt: number } | undefined;

/** The account's limits as SES says, at most a minute old. */
export async function readAccount(): Promise<AccountLimits> {
  if (account && Date.now() - account.readAt < 60_000) return account.value;
  const { SendQuota, ProductionAccessEnabled, SendingEnabled } = await ses().send(new GetAccountCommand({}));
  const value = {
    maxSendRate: SendQuota?.MaxSendRate ?? 1,
    max24HourSend: SendQuota?.Max24HourSend ?? 200,
    sentLast24Hours: SendQuota?.SentLast24Hours ?? 0,
    inSandbox: ProductionAccessEnabled === false,
    sendingEnabled: SendingEnabled !== false,
  };
  account = { value, readAt: Date.now() };
  return value;
}

/** What a call may hold beside headers, tags and the rest of its envelope (SES: 1 MB with an inline template). */
const requestBytes = 900_000;
const envelopeBytes = 1_000;

/** Messages in as few groups as fit into one call each: nearly always one group. */
export function callsFor<M extends BulkMessage>(content: BulkContent, messages: readonly M[]): M[][] {
  const room = requestBytes - Buffer.byteLength(JSON.stringify(content));
  const calls: M[][] = [];
  let left = 0;
  for (const message of messages) {
    // The values travel as JSON within JSON.
    const size = Buffer.byteLength(JSON.stringify(JSON.stringify(message.slots))) + envelopeBytes;
    if (size > left) {
      calls.push([]);
      left = room;
    }
    calls.at(-1)!.push(message);
    left -= size;
  }
  return calls;
}

/** Sends up to 50 messages in one call; the answer tells each one's fate, in order. Throws what SES threw for the whole call. */
export async function sendBulk(content: BulkContent, messages: readonly BulkMessage[]): Promise<Acceptance[]> {
  const { BulkEmailEntryResults = [] } = await ses().send(
    new SendBulkEmailCommand({
      FromEmailAddress: content.from,
      ReplyToAddresses: content.replyTo ? [content.replyTo] : undefined,
      ConfigurationSetName: config.configurationSet,
      DefaultContent: {
        Template: {
          TemplateContent: { Subject: content.subject, Html: content.html, Text: content.text },
          TemplateData: '{}',
        },
      },
      BulkEmailEntries: messages.map(entry),
    }),
  );
  return BulkEmailEntryResults.map(acceptance);
}

function entry({ to, slots, headers, tags }: BulkMessage): BulkEmailEntry {
  return {
    Destination: { ToAddresses: [to] },
    ReplacementEmailContent: { ReplacementTemplate: { ReplacementTemplateData: JSON.stringify(slots) } },
    ReplacementHeaders: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
    ReplacementTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
  };
}

function acceptance({ Status, Error: error }: BulkEmailEntryResult): Acceptance {
  switch (Status) {
    case 'SUCCESS':
      return { outcome: 'accepted' };
    case 'ACCOUNT_THROTTLED':
    case 'TRANSIENT_FAILURE':
      return { outcome: 'throttled', error };
    case 'ACCOUNT_DAILY_QUOTA_EXCEEDED':
    case 'ACCOUNT_SENDING_PAUSED':
    case 'ACCOUNT_SUSPENDED':
    case 'CONFIGURATION_SET_SENDING_PAUSED':
      return { outcome: 'quota', error: error ?? Status };
    default:
      return { outcome: 'refused', error: error ?? Status ?? 'refused' };
  }
}

/** A message to one person. */
export interface DirectMessage {
  from: string;
  replyTo?: string | null;
  to: string;
  subject: string;
  html: string | undefined;
  text: string | undefined;
  headers?: Record<string, string>;
  tags: Record<string, string>;
}

/** Sends one message, without open and click tracking; throws what SES threw (failureOf says what it means). */
export async function sendOne(message: DirectMessage): Promise<void> {
  const utf8 = (Data: string) => ({ Data, Charset: 'UTF-8' });
  const { from, replyTo, to, subject, html, text, headers = {}, tags } = message;
  await ses().send(
    new SendEmailCommand({
      FromEmailAddress: from,
      ReplyToAddresses: replyTo ? [replyTo] : undefined,
      Destination: { ToAddresses: [to] },
      ConfigurationSetName: config.directConfigurationSet,
      Content: {
        Simple: {
          Subject: utf8(subject),
          Body: { ...(html && { Html: utf8(html) }), ...(text && { Text: utf8(text) }) },
          Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
        },
      },
      EmailTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
    }),
  );
}

/** Connection errors from before anything was sent. */
const neverLeft = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** What a failed call means for its messages: `throttled`, `quota` and `refused` were explicitly not accepted; `unknown` may have been. */
export function failureOf(error: unknown): { outcome: 'throttled' | 'quota' | 'refused' | 'unknown'; error: string } {
  const { name, message, code, $metadata } = error as Error & {
    code?: string;
    $metadata?: { httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode;
  if (name === 'LimitExceededException' || /daily message quota/i.test(message))
    return { outcome: 'quota', error: message };
  if (name === 'AccountSuspendedException' || name === 'SendingPausedException')
    return { outcome: 'quota', error: message };
  if (name === 'TooManyRequestsException' || name === 'ThrottlingException' || status === 429)
    return { outcome: 'throttled', error: name };
  if (
    neverLeft.has(code ?? '') ||
    /did not establish a connection/.test(message) ||
    name === 'CredentialsProviderError'
  )
    return { outcome: 'throttled', error: name };
  // Our own fault, not the messages': nobody was accepted, and nobody shall be marked as failed for it.
  if (status === 401 || status === 403 || name === 'NotFoundException' || /Signature|ExpiredToken|Skewed/.test(name))
    return { outcome: 'quota', error: `${name}: ${message}` };
  if (status !== undefined && status >= 400 && status < 500) return { outcome: 'refused', error: message };
  return { outcome: 'unknown', error: name };
}
