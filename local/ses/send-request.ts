import type { BulkEmailStatus, Destination, Message as SimpleMessage, Template } from '@aws-sdk/client-sesv2';
import { addressFault } from './addresses.ts';
import { badRequest } from './errors.ts';
import { list } from './fields.ts';
import type { Entry } from './records.ts';
import { type Content, compile, renderingFault } from './render.ts';

const MAX_RECIPIENTS = 50;

/** The entry result of a message in a bulk call that was not accepted. */
export interface Refusal {
  Status: BulkEmailStatus;
  Error: string;
}

/** Reads and checks the sender of a request. */
export function readFrom(from: unknown): string {
  const fault = addressFault(from);
  if (fault) throw badRequest(`Invalid email address<${from}>. ${fault}`);
  return from as string;
}

/** Reads and checks the recipients of a message: an entry without content, or SES's refusal. */
export function readEntry(destination: Destination | undefined): Entry | Refusal {
  const to = list(destination?.ToAddresses, 'ToAddresses') as string[];
  if (to.length === 0) return { Status: 'INVALID_PARAMETER', Error: 'Missing required recipient.' };
  if (to.length > MAX_RECIPIENTS) return { Status: 'INVALID_PARAMETER', Error: 'Recipient count exceeds 50.' };
  const fault = to.map(addressFault).find(Boolean);
  return fault ? { Status: 'INVALID_PARAMETER', Error: fault } : { to, data: {}, headers: [], tags: {} };
}

/** The content of Content.Simple in SendEmail. */
export function simpleContent(simple: SimpleMessage): Content {
  const subject = simple.Subject?.Data;
  const { Html, Text } = simple.Body ?? {};
  if (typeof subject !== 'string') throw badRequest('Subject is required.');
  if (Html?.Data === undefined && Text?.Data === undefined) throw badRequest('Body needs Html or Text.');
  const content: Content = { subject, html: Html?.Data, text: Text?.Data, literal: true };
  if (renderingFault(compile(content), {})) throw badRequest('Subject must not contain control characters.');
  return content;
}

/** The content of an inline template; the local SES has no stored templates. */
export function inlineContent(template: Template | undefined): Content {
  const inline = template?.TemplateContent;
  if (!inline) throw badRequest('The local SES takes inline templates only.');
  if (typeof inline.Subject !== 'string') throw badRequest('TemplateContent.Subject is required.');
  if (inline.Html === undefined && inline.Text === undefined) throw badRequest('TemplateContent needs Html or Text.');
  return { subject: inline.Subject, html: inline.Html, text: inline.Text, literal: false };
}
