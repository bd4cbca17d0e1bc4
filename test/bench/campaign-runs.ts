import { setTimeout as sleep } from 'node:timers/promises';
import { keys } from '../../shared/data/keys.ts';
import { type BenchStack, senderDomain } from './bench-stack.ts';
import { accepted, importTo } from './requests.ts';

const pollMilliseconds = 100;
/** Every advance of the clock runs the reconciler, which on AWS runs once a minute. */
const stepSeconds = 60;
/** The functions keep the account's limits for a minute. */
const limitsSeconds = 61;
const over = ['sent', 'partial', 'failed', 'paused', 'cancelled'];

const html = `<html><body><p>Hello {{first_name | default: "there"}} of {{company | default: "somewhere"}}</p>
<p>${'A paragraph of an ordinary newsletter, long enough to weigh something. '.repeat(20)}</p>
<p><a href="https://example.com/one">One</a> <a href="https://example.com/two">Two</a></p>
<p><a href="{{unsubscribe_url}}">Unsubscribe</a></p></body></html>`;

/** A new list with new contacts. */
export async function listOf(stack: BenchStack, recipients: number): Promise<number> {
  const list = await accepted(stack.call('POST', '/lists', { name: `${recipients} recipients` }));
  await importTo(stack, list.id, recipients);
  return list.id;
}

/** Creates and sends a campaign to a list; `fields` are more of the campaign's, `variants` those of an A/B test. */
export async function send(
  stack: BenchStack,
  listId: number,
  { variants, ...fields }: { variants?: object[] } & Record<string, unknown> = {},
): Promise<number> {
  const campaign = await accepted(
    stack.call('POST', '/campaigns', {
      name: 'Bench',
      subject: 'Hello {{first_name | default: "there"}}',
      from_name: 'Bench',
      from_email: `hello@${senderDomain}`,
      contact_list_id: listId,
      ...fields,
    }),
  );
  await accepted(stack.call('PUT', `/campaigns/${campaign.id}/content`, { html_content: html }));
  if (variants) await accepted(stack.call('POST', `/campaigns/${campaign.id}/variants`, { variants }));
  await accepted(
    stack.call('POST', `/campaigns/${campaign.id}/send`, undefined, { 'idempotency-key': `bench-${campaign.id}` }),
  );
  return campaign.id;
}

/** A campaign as the API shows it. */
export interface Campaign {
  status: string;
  sent_at: string;
  sent_count: number;
  total_recipients: number;
}

/** The milliseconds since the epoch on the stack's clock. */
export async function stackTime(stack: BenchStack): Promise<number> {
  return Date.parse((await stack.call('GET', '/_local/clock')).body.now);
}

/** Polls a campaign until a condition holds; returns it with the stack's time. */
export async function reached(stack: BenchStack, id: number, wanted: (campaign: Campaign) => boolean) {
  for (;;) {
    const campaign = (await accepted(stack.call('GET', `/campaigns/${id}`))) as Campaign;
    if (wanted(campaign)) return { campaign, at: await stackTime(stack) };
    await sleep(pollMilliseconds);
  }
}

/** Gives the account a send rate, which is in force when this returns. */
export async function setSendRate(stack: BenchStack, perSecond: number): Promise<void> {
  await stack.call('POST', '/_local/ses', { max_send_rate: perSecond });
  await stack.clock({ advance_seconds: limitsSeconds });
}

/** Sends to the end on a frozen clock, where only waiting takes time, and applies the feedback; calls no endpoint. */
export async function skipToTheEnd(stack: BenchStack, id: number): Promise<void> {
  const { team } = await accepted(stack.call('GET', '/me'));
  const { pk, sk } = keys.campaign(team.id, id);
  const table = await stack.table();
  await stack.clock({ frozen: true });
  for (;;) {
    await stack.clock({ advance_seconds: stepSeconds });
    const row = (await table.partition(pk)).find((item) => item.sk === sk);
    if (!over.includes(String(row?.status))) continue;
    if (row!.status !== 'sent') throw new Error(`The campaign ended as ${row!.status}: ${row!.failure_reason}`);
    return stack.clock({ advance_seconds: stepSeconds, frozen: false });
  }
}
