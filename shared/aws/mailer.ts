import {
  type BulkEmailEntry,
  type BulkEmailEntryResult,
  type BulkEmailStatus,
  GetAccountCommand,
  SESv2Client,
  SendBulkEmailCommand,
  SendEmailCommand,
} from '@aws-sdk/client-sesv2';
import type { AccountLimits } from '../domain/messages/account-limits.ts';
import { mailboxDomain } from '../domain/messages/mail-address.ts';
import { pricingPlanOf } from '../domain/messages/sending-price.ts';
import { config } from './config.ts';
import { lazily } from './lazily.ts';
import { log } from './log.ts';
import { unlogged } from './unlogged.ts';

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

/**
 * Why a message was not accepted. `refused`: for good. The others say nothing of the recipient: `throttled` for now,
 * `quota` by the account or the installation, `unverified` because of the sender's domain.
 */
export type Refusal = 'refused' | 'throttled' | 'quota' | 'unverified';

/** The result for one message; the error names no address. */
export interface Acceptance {
  outcome: 'accepted' | Refusal;
  error?: string;
}

/**
 * The SDK does not retry: after a lost response the message may have been accepted, which the ledger settles.
 * No connection is kept: one kept while Lambda freezes the function would break at the next call.
 */
const ses = lazily(() =>
  unlogged(
    new SESv2Client({
      maxAttempts: 1,
      requestHandler: {
        connectionTimeout: 3_000,
        requestTimeout: 15_000,
        throwOnRequestTimeout: true,
        httpsAgent: { keepAlive: false, maxSockets: 50 },
      },
    }),
  ),
);

/** Asks SES for the account's limits, which it answers once a second for all callers; see `accountLimits`. */
export async function readAccount(): Promise<AccountLimits> {
  const answer = await ses().send(new GetAccountCommand({}));
  const { SendQuota, ProductionAccessEnabled, SendingEnabled, PricingAttributes } = answer;
  return {
    maxSendRate: SendQuota?.MaxSendRate ?? 1,
    max24HourSend: SendQuota?.Max24HourSend ?? 200,
    sentLast24Hours: SendQuota?.SentLast24Hours ?? 0,
    inSandbox: ProductionAccessEnabled === false,
    sendingEnabled: SendingEnabled !== false,
    pricingPlan: pricingPlanOf(PricingAttributes?.CurrentPlan),
  };
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
  const results = BulkEmailEntryResults.map((result) => acceptance(result, content.from));
  const emails = results.filter(({ outcome }) => outcome === 'accepted').length;
  log.info('messages sent', { team_id: Number(messages[0]!.tags.team), emails });
  return results;
}

function entry({ to, slots, headers, tags }: BulkMessage): BulkEmailEntry {
  return {
    Destination: { ToAddresses: [to] },
    ReplacementEmailContent: { ReplacementTemplate: { ReplacementTemplateData: JSON.stringify(slots) } },
    ReplacementHeaders: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
    ReplacementTags: Object.entries(tags).map(([Name, Value]) => ({ Name, Value })),
  };
}

function acceptance({ Status = 'FAILED', Error: message = Status }: BulkEmailEntryResult, from: string): Acceptance {
  if (Status === 'SUCCESS') return { outcome: 'accepted' };
  return { outcome: refusalOf(Status, message, from), error: withoutAddresses(message) };
}

/** What each status of a message means (SES API, BulkEmailEntryResult); a status that SES adds does not compile. */
const refusals: Record<Exclude<BulkEmailStatus, 'SUCCESS'>, Refusal> = {
  ACCOUNT_DAILY_QUOTA_EXCEEDED: 'quota',
  ACCOUNT_SENDING_PAUSED: 'quota',
  ACCOUNT_SUSPENDED: 'quota',
  ACCOUNT_THROTTLED: 'throttled',
  CONFIGURATION_SET_NOT_FOUND: 'quota',
  CONFIGURATION_SET_SENDING_PAUSED: 'quota',
  FAILED: 'refused',
  INVALID_PARAMETER: 'refused',
  INVALID_SENDING_POOL_NAME: 'quota',
  MAIL_FROM_DOMAIN_NOT_VERIFIED: 'unverified',
  MESSAGE_REJECTED: 'refused',
  TEMPLATE_NOT_FOUND: 'quota',
  TRANSIENT_FAILURE: 'throttled',
};

function refusalOf(status: string, message: string, from: string): Refusal {
  if (senderNotVerified(message, from)) return 'unverified';
  if (Object.hasOwn(refusals, status)) return refusals[status as keyof typeof refusals];
  // Unknown to this version of the SDK.
  return /^(ACCOUNT|CONFIGURATION_SET)_/.test(status) ? 'quota' : 'refused';
}

/** Whether SES names the sender as not verified; while the account is in sandbox it may name a recipient instead. */
function senderNotVerified(message: string, from: string): boolean {
  if (!/not verified/i.test(message)) return false;
  const domain = mailboxDomain(from).replaceAll('.', '\\.');
  return new RegExp(`@${domain}(?![\\w-]|\\.\\w)`, 'i').test(message);
}

/** SES's text without the addresses in it: it is stored, and outlives an erasure. */
const withoutAddresses = (text: string): string =>
  text.replace(/(?<![^\s<>()"',:;])[^\s<>()"',:;@]+@[^\s<>()"',:;]+/g, 'an address');

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

/** Of the account, or of its configuration set. */
const quotaErrors = /^(LimitExceeded|AccountS|SendingPaused|ConfigurationSet)/;
/** Connection errors that occur before anything is sent. */
const notSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** Classifies a failed call of a sender: only `unknown` messages may have been accepted. The error names no address. */
export function failureOf(error: unknown, from: string): { outcome: Refusal | 'unknown'; error: string } {
  const { outcome, error: text } = classified(error as Error, from);
  return { outcome, error: withoutAddresses(text) };
}

function classified(error: Error, from: string): ReturnType<typeof failureOf> {
  const { name, message, code, $metadata } = error as Error & {
    code?: string;
    $metadata?: { httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode;
  if (name.startsWith('MailFromDomainNotVerified') || senderNotVerified(message, from))
    return { outcome: 'unverified', error: message };
  if (quotaErrors.test(name) || /daily message quota/i.test(message)) return { outcome: 'quota', error: message };
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
