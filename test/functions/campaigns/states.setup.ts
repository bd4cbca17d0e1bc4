import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { type CampaignStatus, campaignStatuses } from '../../../shared/domain/campaigns/status.ts';
import { idle, rows } from '../../support/campaign.ts';
import { operate } from '../../support/operate.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { control, type Team } from '../../support/team.ts';

const unsubscribe = '<a href="{{unsubscribe_url}}">Unsubscribe</a>';
const shortened = `<a href="https://bit.ly/x">x</a> ${unsubscribe}`;
export const later = '2031-05-06T07:08:09.000+00:00';
export let folder: string;
export let stack: Stack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mailwright-states-'));
  stack = await startStack({ data: folder });
});

afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});
afterEach(() => heal());
export const heal = () => control('DELETE', '/faults', undefined, stack.origin);
const inject = (fault: object) => control('POST', '/faults', fault, stack.origin);
const noWorkflow = { service: 'states', operation: 'StartExecution', error: 'ExecutionLimitExceeded' };
const throttled = { service: 'ses', operation: 'SendBulkEmail', error: 'TooManyRequestsException' };
const lost = { service: 'ses', operation: 'SendBulkEmail', error: 'InternalServiceErrorException' };
const rejected = { service: 'ses', operation: 'SendBulkEmail', error: 'MessageRejected' };

/** Makes a list of contacts. */
async function audience(own: Team, people: number): Promise<number> {
  const { id } = await own.data('POST', '/lists', { name: `${people} people` });
  await own.data('POST', '/contacts/bulk', { contacts: rows(people), list_ids: [id] });
  return id;
}

/** A campaign without blockers. */
export async function draft(own: Team, html_content = unsubscribe, people = 2): Promise<number> {
  const contact_list_id = await audience(own, people);
  const fields = { name: 'News', subject: 'Hello', from_email: `news@${own.domain}`, contact_list_id };
  const { id } = await own.data('POST', '/campaigns', fields);
  await own.data('PUT', `/campaigns/${id}/content`, { html_content });
  return id;
}

export async function sent(own: Team, html?: string, people?: number): Promise<number> {
  const id = await draft(own, html, people);
  await own.data('POST', `/campaigns/${id}/send`);
  return id;
}

/** Brings a campaign into each state; faults that keep it there last until the end of the test. */
export const drive: Record<CampaignStatus, (own: Team) => Promise<number>> = {
  draft: (own) => draft(own),
  async scheduled(own) {
    const id = await draft(own);
    await own.data('POST', `/campaigns/${id}/schedule`, { send_at: '2030-01-01T00:00:00Z' });
    return id;
  },
  async screening(own) {
    await inject(noWorkflow);
    const id = await draft(own);
    expect((await own.api('POST', `/campaigns/${id}/send`)).status).toBe(503);
    return id;
  },
  async held(own) {
    const id = await sent(own, shortened);
    await idle(stack.origin, own);
    return id;
  },
  async queuing(own) {
    const id = await drive.held(own);
    await inject(noWorkflow);
    await expect(operate(folder, 'campaign release', { team_id: own.id, campaign_id: id })).rejects.toThrow();
    return id;
  },
  async sending(own) {
    await inject({ ...throttled, containing: own.domain });
    const id = await sent(own);
    while ((await own.data('GET', `/campaigns/${id}`)).status !== 'sending') await sleep(10);
    return id;
  },
  async paused(own) {
    const id = await drive.sending(own);
    await own.data('POST', `/campaigns/${id}/pause`);
    return id;
  },
  async sent(own) {
    const id = await sent(own);
    await idle(stack.origin, own);
    return id;
  },
  async partial(own) {
    // Some stay unknown after the time in which the provider reports.
    await inject({ ...lost, count: 1, containing: own.domain });
    const id = await sent(own, unsubscribe, 51);
    for (const advance_seconds of [20 * 60, 6 * 3_600]) {
      await idle(stack.origin, own);
      await control('POST', '/clock', { advance_seconds }, stack.origin);
    }
    await idle(stack.origin, own);
    await inject({ ...throttled, containing: own.domain });
    return id;
  },
  async cancelled(own) {
    const id = await draft(own);
    await own.data('POST', `/campaigns/${id}/cancel`);
    return id;
  },
  async failed(own) {
    await inject({ ...rejected, containing: own.domain });
    const id = await sent(own);
    await idle(stack.origin, own);
    return id;
  },
};

export const variants = ['A', 'B'].map((label) => ({ label, subject: `Subject ${label}` }));
type Answer = { code?: string | undefined; status?: string | undefined };

/** Makes a request of the team; returns the campaign's status in the answer. */
const request =
  (method: string, path: string, body?: object) =>
  async (own: Team, id: number): Promise<Answer> => {
    const { status, body: answer } = await own.api(method, `/campaigns/${id}${path}`, body);
    expect(status).toBe(answer.code ? 422 : 200);
    return { code: answer.code, status: answer.data?.status };
  };
const command =
  (name: 'campaign release' | 'campaign refuse' | 'campaign resume') =>
  async (own: Team, id: number): Promise<Answer> => {
    const answer = await operate(folder, name, { team_id: own.id, campaign_id: id });
    return { code: answer.error?.code, status: answer.status };
  };
type Becomes = CampaignStatus | 'gone';

/** Every action, with the state that it leads to from each state that allows it; the others refuse it. */
export const actions: Record<
  string,
  { act: (own: Team, id: number) => Promise<Answer>; allowed: Partial<Record<CampaignStatus, Becomes>> }
> = {
  PATCH: {
    act: request('PATCH', '', { name: 'Other' }),
    allowed: { draft: 'draft', scheduled: 'scheduled', held: 'draft' },
  },
  'PUT content': {
    act: request('PUT', '/content', { html_content: unsubscribe }),
    allowed: { draft: 'draft', scheduled: 'scheduled', held: 'draft' },
  },
  'POST variants': {
    act: request('POST', '/variants', { variants }),
    allowed: { draft: 'draft', scheduled: 'scheduled', held: 'draft' },
  },
  DELETE: {
    act: request('DELETE', ''),
    allowed: {
      draft: 'gone',
      scheduled: 'gone',
      held: 'gone',
      cancelled: 'gone',
      failed: 'gone',
      sent: 'gone',
      partial: 'gone',
    },
  },
  send: { act: request('POST', '/send'), allowed: { draft: 'screening' } },
  schedule: {
    act: request('POST', '/schedule', { send_at: later }),
    allowed: { draft: 'scheduled', scheduled: 'scheduled' },
  },
  cancel: {
    act: request('POST', '/cancel'),
    allowed: { draft: 'cancelled', scheduled: 'cancelled', paused: 'cancelled' },
  },
  pause: { act: request('POST', '/pause'), allowed: { sending: 'paused' } },
  resume: { act: request('POST', '/resume'), allowed: { paused: 'sending' } },
  'resend-unknown': { act: request('POST', '/resend-unknown'), allowed: { partial: 'sending' } },
  preflight: {
    act: request('POST', '/preflight'),
    allowed: Object.fromEntries(campaignStatuses.map((status) => [status, status])),
  },
  'release (operator)': { act: command('campaign release'), allowed: { held: 'queuing' } },
  'refuse (operator)': { act: command('campaign refuse'), allowed: { held: 'cancelled' } },
  'resume (operator)': { act: command('campaign resume'), allowed: { paused: 'sending' } },
};
