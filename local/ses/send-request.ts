import type { BulkEmailStatus, Destination, Message as SimpleMessage, Template } from '@aws-sdk/client-sesv2';
import { addressFault } from './addresses.ts';
import { badRequest, notFound } from './errors.ts';
import { list } from './fields.ts';
import type { Entry } from './records.ts';
import { type Content, compile, renderingFault } from './render.ts';

const MAX_RECIPIENTS = 50;

/** Why a message of a bulk call was not accepted, in the form of its entry result. */
export interface Refusal {
  Status: BulkEmailStatus;
  Error: string;
}

/** The sender of a request, checked. */
export function readFrom(from: unknown): string {
  const fault = addressFault(from);
  if (fault) throw badRequest(`Invalid email address<${from}>. ${fault}`);
  return from as string;
}

/** One message's recipients, checked: an entry to fill in, or why SES refuses it. */
export function readEntry(destination: Destination | undefined): Entry | Refusal {
  const to = list(destination?.ToAddresses, 'ToAddresses') as string[];
  const cc = list(destination?.CcAddresses, 'CcAddresses') as string[];
  const bcc = list(destination?.BccAddresses, 'BccAddresses') as string[];
  const count = to.length + cc.length + bcc.length;
  if (count === 0) return { Status: 'INVALID_PARAMETER', Error: 'Missing required recipient.' };
  if (count > MAX_RECIPIENTS) return { Status: 'INVALID_PARAMETER', Error: 'Recipient count exceeds 50.' };
  for (const addresses of [to, cc, bcc]) {
    const fault = addresses.map(addressFault).find(Boolean);
    if (fault) return { Status: 'INVALID_PARAMETER', Error: fault };
  }
  return { to, cc, bcc, data: {}, headers: [], tags: {} };
}

/** The content of SendEmail's Content.Simple. */
export function simpleContent(simple: SimpleMessage): Content {
  const subject = simple.Subject?.Data;
  const { Html, Text } = simple.Body ?? {};
  if (typeof subject !== 'string') throw badRequest('Subject is required.');
  if (Html?.Data === undefined && Text?.Data === undefined) throw badRequest('Body needs Html or Text.');
  const content: Content = { subject, html: Html?.Data, text: Text?.Data, literal: true };
  if (renderingFault(compile(content), {})) throw badRequest('Subject must not contain control characters.');
  return content;
}

/** The content of an inline template; stored templates do not exist here. */
export function inlineContent(template: Template | undefined): Content {
  if (!template) throw badRequest('A template is required.');
  const { TemplateName: name, TemplateArn: arn, TemplateContent: inline } = template;
  if (!inline && (name || arn)) throw notFound(`Template ${name ?? arn} does not exist.`);
  if (!inline || name || arn) throw badRequest('Give exactly one of TemplateName, TemplateArn and TemplateContent.');
  if (typeof inline.Subject !== 'string') throw badRequest('TemplateContent.Subject is required.');
  if (inline.Html === undefined && inline.Text === undefined) throw badRequest('TemplateContent needs Html or Text.');
  return { subject: inline.Subject, html: inline.Html, text: inline.Text, literal: false };
}
