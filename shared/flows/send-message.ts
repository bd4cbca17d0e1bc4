import * as suppressions from '../data/contacts/suppressions.ts';
import * as templates from '../data/messages/templates.ts';
import { ApiError, NotApplicable, SendBlocked, Unavailable, ValidationError } from '../domain/errors.ts';
import { mailbox } from '../domain/messages/mail-address.ts';
import { compile, maxMergedCharacters, merged, variableValues } from '../domain/messages/merge-tags.ts';
import { checkContent } from '../domain/messages/screening.ts';
import type { Operation } from '../domain/operation.ts';
import { allowancePeriod, type Plan } from '../domain/teams/plans.ts';
import { teamBlockers } from './campaigns/team-blockers.ts';
import { templateHtml } from './messages/compose-body.ts';
import { checkSender, deliverOnce, giveBack, senderUnverified, takeMessages } from './messages/deliver-once.ts';
import { plainText } from './messages/plain-text.ts';
import { recipientsVerified } from './messages/recipients-verified.ts';

/** The input of a transactional message. */
export interface MessageInput {
  to: string;
  to_name?: string | null;
  from_email: string;
  from_name?: string | null;
  reply_to?: string | null;
  subject: string;
  html?: string | null;
  text?: string | null;
  template_id?: number | null;
  variables?: Record<string, unknown> | null;
  ignore_suppression?: boolean | null;
}

/** The result of a transactional message; `delivered`: the provider has accepted it. */
interface Sent {
  status: 'sent' | 'sandboxed';
  to: string;
  subject: string;
  delivered: boolean;
}

/**
 * Sends one untracked message, at most once per operation. Checks the team, the content, suppressions, the sender's
 * domain and the month's allowance; in sandbox (the team's or SES's) only verified recipients get it. Throws 422 with
 * the reason, and 503 when SES accepts none now.
 */
export async function sendMessage(
  { teamId, plan }: { teamId: number; plan: Plan },
  input: MessageInput,
  operation: Operation,
): Promise<Sent> {
  const variables = variableValues(input.variables ?? {}, { email: input.to });
  // It may be sent already: then what has changed since keeps nothing back.
  if (operation.remembers('message')) {
    const { subject = input.subject } = merged(compile({ subject: input.subject }), variables) ?? {};
    return { status: 'sent', to: input.to, subject, delivered: false };
  }
  const message = compile(await bodyOf(teamId, input));
  const [unmet] = await Promise.all([teamBlockers(teamId), checkSender(teamId, input.from_email)]);
  const blockers = unmet.filter((word) => word !== 'sandboxed');
  if (blockers.length > 0) throw new SendBlocked(blockers);
  await checkRecipient(teamId, input);
  const rendered = merged(message, variables);
  if (!rendered)
    throw new ValidationError({ variables: [`they add over ${maxMergedCharacters} characters to the message`] });
  // As it is merged: a variable may hold a link.
  checkContent({ html_content: rendered.html, plain_content: rendered.text }, 'merged');
  const answer = { to: input.to, subject: rendered.subject };
  if (unmet.includes('sandboxed') && !(await recipientsVerified(teamId, [input.to])))
    return { status: 'sandboxed', ...answer, delivered: false };
  const month = allowancePeriod(operation.startedAt);
  if (!(await operation.memoize('taken', () => takeMessages(teamId, plan, month, 1))))
    throw new ApiError(422, 'plan_allowance_exceeded', "The month's emails are used up.");
  const result = await deliverOnce(operation, 'message', {
    from: mailbox(input.from_email, input.from_name),
    replyTo: input.reply_to,
    to: mailbox(input.to, input.to_name),
    ...rendered,
    tags: { team: String(teamId), kind: 'transactional' },
  });
  if (!('error' in result)) return { status: 'sent', ...answer, delivered: result.outcome === 'accepted' };
  // In this order a crash in between counts an email that was not sent, and never sends one that is not counted.
  await operation.clear('taken');
  await giveBack(teamId, month, 1);
  if (result.outcome === 'unverified') throw senderUnverified(input.from_email);
  if (result.outcome === 'refused') throw new NotApplicable(`SES refused the message: ${result.error}`);
  throw new Unavailable('SES takes no messages at this moment; try again.');
}

/** The subject, HTML and text before merging; the text is made from the HTML when it is absent. */
async function bodyOf(teamId: number, { subject, html, text, template_id }: MessageInput) {
  const body = html || (template_id ? await templateBody(teamId, template_id) : undefined);
  if (!body) throw new ValidationError({ html: ['required unless template_id is given'] });
  return { subject, html: body, text: text || (await plainText(body)) };
}

async function templateBody(teamId: number, id: number): Promise<string> {
  const template = await templates.find(teamId, id);
  const html = template && (await templateHtml(teamId, template));
  if (!html) throw new ValidationError({ template_id: [template ? 'the template is empty' : 'no such template'] });
  return html;
}

async function checkRecipient(teamId: number, { to, ignore_suppression }: MessageInput): Promise<void> {
  const suppressed = (await suppressions.batch(teamId, [to])).get(to);
  if (!suppressed || (ignore_suppression && suppressed.level === 'team')) return;
  const whose = suppressed.level === 'team' ? 'on your suppression list' : 'suppressed for every team';
  throw new ApiError(422, 'recipient_suppressed', `The address is ${whose} (${suppressed.reason}).`);
}
