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
import { lazily } from './lazily.ts';

/** One message of a bulk call. */
export interface BulkMessage {
  to: string;
  /** Values of the template's variables. */
  slots: Record<string, string>;
  headers: Record<string, string>;
  tags: Record<string, string>;
}

/** The content that all messages of a bulk call share. */
export interface BulkContent {
  from: string;
  replyTo?: string | null;
  subject: string;
  html: string | undefined;
  text: string | undefined;
}

/** The result for one message: accepted, refused for good, or not accepted now. */
export interface Acceptance {
  outcome: 'accepted' | 'refused' | 'throttled' | 'quota';
  error?: string;
}

/**
 * The SDK does not retry: after a lost response the message may have been accepted, which the ledger settles.
 * No connection is kept: one kept while Lambda freezes the function would break at the next call.
 */
const ses = lazily(
  () =>
    new SESv2Client({
      maxAttempts: 1,
      requestHandler: {
        connectionTimeout: 3_000,
        requestTimeout: 15_000,
        throwOnRequestTimeout: true,
        httpsAgent: { keepAlive: false, maxSockets: 50 },
      },
    }),
);

let account: { value: AccountLimits; readAt: number } | undefined;

/** The SES account's limits, at most a minute old. */
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

/** How many messages a bulk call may hold: no more than the account sends in a second, and 50 at most. */
export const callSize = ({ maxSendRate }: AccountLimits): number =>
  Math.max(1, Math.min(maxBulkMessages, Math.floor(maxSendRate)));

const maxBulkMessages = 50;

/** SES takes 1 MB a call with an inline template; the rest is left for headers and tags. */
const maxRequestBytes = 900_000;
const envelopeBytes = 1_000;

/** Splits messages into groups that fit into one call each: nearly always one group. */
export function callsFor<M extends BulkMessage>(content: BulkContent, messages: readonly M[]): M[][] {
  const room = maxRequestBytes - Buffer.byteLength(JSON.stringify(content));
  const calls: M[][] = [];
  let left = 0;
  for (const message of messages) {
    // SES takes the values as a JSON string inside the JSON body.
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

/** Sends up to 50 messages in one call and returns a result for each, in order; throws when the whole call fails. */
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

/** A message to one recipient. */
export interface DirectMessage extends BulkContent {
  to: string;
  headers?: Record<string, string>;
  tags: Record<string, string>;
}

/** Sends one message without open and click tracking; throws SES's error, which `failureOf` classifies. */
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

const quotaErrors = new Set(['LimitExceededException', 'AccountSuspendedException', 'SendingPausedException']);
/** Connection errors that occur before anything is sent. */
const notSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** Classifies a failed call: only `unknown` messages may have been accepted. */
export function failureOf(error: unknown): { outcome: 'throttled' | 'quota' | 'refused' | 'unknown'; error: string } {
  const { name, message, code, $metadata } = error as Error & {
    code?: string;
    $metadata?: { httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode;
  if (quotaErrors.has(name) || /daily message quota/i.test(message)) return { outcome: 'quota', error: message };
  if (name === 'TooManyRequestsException' || name === 'ThrottlingException' || status === 429)
    return { outcome: 'throttled', error: name };
  if (notSent.has(code ?? '') || /did not establish a connection/.test(message) || name === 'CredentialsProviderError')
    return { outcome: 'throttled', error: name };
  // A fault of the installation, not of the messages: nothing was accepted, and no recipient failed.
  if (status === 401 || status === 403 || name === 'NotFoundException' || /Signature|ExpiredToken|Skewed/.test(name))
    return { outcome: 'quota', error: `${name}: ${message}` };
  if (status !== undefined && status >= 400 && status < 500) return { outcome: 'refused', error: message };
  return { outcome: 'unknown', error: name };
}
