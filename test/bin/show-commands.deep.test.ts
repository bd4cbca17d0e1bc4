import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { OperatorCommand } from '../../functions/operator-commands.ts';
import { keys } from '../../shared/data/keys.ts';
import { ended, idle, readyCampaign, rows } from '../support/campaign.ts';
import { operate } from '../support/operate.ts';
import { enrol, newContacts, newSequence, newStep, pass } from '../support/sequence.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { type RawTable, rawTable } from '../support/table.ts';
import { control, newTeam, type Team } from '../support/team.ts';
import { warehouseCampaign, warehouseOf } from '../support/warehouse.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailwright-show-'));
let stack: Stack;
let team: Team;
let table: RawTable;

beforeAll(async () => {
  stack = await startStack({ data: folder });
  team = await newTeam({ origin: stack.origin });
  table = await rawTable(folder);
});
afterEach(async () => {
  await control('DELETE', '/faults', undefined, stack.origin);
});
afterAll(async () => {
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const fault = (service: string, operation: string, error: string, more: object = { rate: 1 }) =>
  control('POST', '/faults', { service, operation, error, ...more }, stack.origin);

const show = (command: OperatorCommand, ids: object, of = team) => operate(folder, command, { team_id: of.id, ...ids });
const showCampaign = (campaign_id: number, of = team) => show('campaign show', { campaign_id }, of);

/** The lines that the command line shows. */
function shown(...args: string[]): Promise<string> {
  const env = { ...process.env, MAILWRIGHT_DATA: folder };
  return new Promise((done, fail) => {
    execFile(process.execPath, ['bin/run.mjs', 'bin/admin.ts', ...args], { env }, (error, out, err) =>
      error ? fail(new Error(err)) : done(out),
    );
  });
}

const campaignOf = async (count: number, content: Record<string, unknown> = {}, of = team) =>
  (await readyCampaign(of, rows(count), content)).campaign;
const send = (campaign: number, of = team) => of.api('POST', `/campaigns/${campaign}/send`);

/** Waits until a campaign is shown with these fields. */
async function expectShown(campaign: number, like: object, of = team): Promise<void> {
  await expect.poll(() => showCampaign(campaign, of), { timeout: 30_000 }).toMatchObject(like);
}

/** Overwrites fields of a campaign's item, for states that need days or many bounces. */
async function overwrite(campaign: number, fields: object): Promise<void> {
  const { pk, sk } = keys.campaign(team.id, campaign);
  const item = (await table.partition(pk)).find((row) => row.sk === sk)!;
  await table.write([{ ...item, ...fields }]);
}

it('shows a campaign whose recipients are unknown, until SES has reported on them', async () => {
  const campaign = await campaignOf(2);
  await fault('ses', 'SendBulkEmail', 'InternalServiceErrorException', { count: 1 });
  await send(campaign);
  const unknown = { waits_for: 'unknown_recipients', until: expect.any(String), recipients: { unknown: 2 } };
  await expectShown(campaign, { status: 'sending', ...unknown });
  expect(await ended(stack.origin, team, campaign)).toMatchObject({ status: 'partial' });
  expect(await showCampaign(campaign)).toMatchObject({
    status: 'partial',
    ...unknown,
    last_error: expect.stringContaining('2 recipients unknown'),
  });
  await pass(stack.origin, 6 * 3_600);
  expect(await showCampaign(campaign)).toMatchObject({ status: 'partial', waits_for: 'team_to_resend' });
});

it('shows a draft, and a campaign that is scheduled until its start', async () => {
  const campaign = await campaignOf(2);
  expect(await showCampaign(campaign)).toMatchObject({
    status: 'draft',
    waits_for: 'team_to_send',
    run: null,
    execution: null,
    last_error: null,
  });
  const at = new Date(Date.now() + 86_400_000).toISOString();
  await team.data('POST', `/campaigns/${campaign}/schedule`, { send_at: at });
  const until = at.replace('Z', '+00:00');
  expect(await showCampaign(campaign)).toMatchObject({ status: 'scheduled', waits_for: 'start_time', until });
  await team.data('POST', `/campaigns/${campaign}/cancel`);
  expect(await showCampaign(campaign)).toMatchObject({ status: 'cancelled', waits_for: null });
});

it('shows a campaign whose workflow could not be started, and that the due jobs start it', async () => {
  const campaign = await campaignOf(2);
  await fault('states', 'StartExecution', 'ExecutionLimitExceeded');
  await send(campaign);
  expect(await showCampaign(campaign)).toMatchObject({
    status: 'screening',
    waits_for: 'due_jobs',
    execution: { name: expect.stringMatching(`^team-${team.id}-campaign-${campaign}-\\d+$`), status: null },
    logs: ['advance-campaign', 'run-job'],
  });
  await overwrite(campaign, { status: 'queuing' });
  expect(await showCampaign(campaign)).toMatchObject({ status: 'queuing', waits_for: 'due_jobs' });
  await overwrite(campaign, { status: 'cancelled' });
});

it('shows a campaign that is held for review, and why', async () => {
  const html = '<p><a href="https://bit.ly/offer">An offer</a> <a href="{{unsubscribe_url}}">Unsubscribe</a></p>';
  const campaign = await campaignOf(2, { html });
  await send(campaign);
  await ended(stack.origin, team, campaign);
  expect(await showCampaign(campaign)).toMatchObject({
    status: 'held',
    waits_for: 'review',
    last_error: expect.stringContaining('bit.ly'),
  });
});

it('shows what a campaign is sending, why it does not move, and that it waits where it is paused', async () => {
  const own = await newTeam({ origin: stack.origin });
  const campaign = await campaignOf(120, {}, own);
  await fault('ses', 'SendBulkEmail', 'TooManyRequestsException');
  await send(campaign, own);
  await expectShown(
    campaign,
    {
      status: 'sending',
      waits_for: expect.stringMatching(/^send_(workers|rate)$/),
      execution: { status: 'RUNNING' },
      recipients: { total: 120, pending: 120, sent: 0, failed: 0, suppressed: 0, unknown: 0 },
      pages: { total: 3, not_started: 0, done: 0, complete: true, oldest_open: { page: expect.any(Number) } },
      logs: ['send-page', 'advance-campaign', 'run-job'],
    },
    own,
  );
  const ids = ['--team', String(own.id), '--campaign', String(campaign)];
  const text = await shown('campaign', 'show', ...ids);
  expect(text).toMatch(new RegExp(`^The campaign ${campaign} of team ${own.id} is sending, since 20`));
  expect(text).toContain('Recipients        120: 120 pending');
  expect(text).toMatch(/Pages +3: \d (open|sending)/);
  expect(text).toMatch(new RegExp(`grep '"team_id":${own.id},"campaign_id":${campaign},' \\S+send-page.log`));
  expect(JSON.parse(await shown('campaign', 'show', ...ids, '--json'))).toMatchObject({ status: 'sending' });

  await own.data('POST', `/campaigns/${campaign}/pause`);
  expect(await showCampaign(campaign, own)).toMatchObject({ status: 'paused', waits_for: 'team_to_resume' });
  await own.data('POST', `/campaigns/${campaign}/resume`);
  await operate(folder, 'team suspend', { team_id: own.id });
  expect(await showCampaign(campaign, own)).toMatchObject({ status: 'paused', waits_for: 'suspension' });
});

it('shows a campaign that the quota, bounces, its domain or its A/B test hold up', async () => {
  const campaign = await campaignOf(2);
  await fault('ses', 'SendBulkEmail', 'LimitExceededException');
  await send(campaign);
  await expectShown(campaign, { status: 'paused', waits_for: 'daily_quota', last_error: expect.any(String) });
  await overwrite(campaign, { paused_by: 'reputation' });
  expect(await showCampaign(campaign)).toMatchObject({ waits_for: 'reputation' });
  await overwrite(campaign, { paused_by: undefined, failure_reason: 'sending_domain_unverified' });
  expect(await showCampaign(campaign)).toMatchObject({ waits_for: 'sending_domain' });
  const decide_at = new Date(Date.now() + 2 * 86_400_000).toISOString().replace('Z', '+00:00');
  await overwrite(campaign, { status: 'sending', test: { phase: 'waiting', size: 1, decide_at } });
  expect(await showCampaign(campaign)).toMatchObject({ waits_for: 'ab_decision', until: decide_at });
  await overwrite(campaign, { status: 'cancelled' });
});

it('shows the errors of SES for failed recipients', async () => {
  const campaign = await campaignOf(2);
  await fault('ses', 'SendBulkEmail', 'BadRequestException');
  await send(campaign);
  expect(await ended(stack.origin, team, campaign)).toMatchObject({ status: 'failed' });
  expect(await showCampaign(campaign)).toMatchObject({
    status: 'failed',
    waits_for: null,
    last_error: '2 recipients failed',
    errors: [{ error: expect.any(String), recipients: 2 }],
  });
});

it('shows a campaign that was sent, and nothing of one that another team has', async () => {
  const campaign = await campaignOf(60);
  await send(campaign);
  await ended(stack.origin, team, campaign);
  expect(await showCampaign(campaign)).toMatchObject({
    status: 'sent',
    waits_for: null,
    recipients: { total: 60, sent: 60, pending: 0 },
    pages: { total: 2, done: 2, not_started: 0, oldest_open: null },
  });
  const other = await newTeam({ origin: stack.origin });
  for (const command of ['campaign show', 'import show'] as const)
    expect(await show(command, { campaign_id: campaign }, other)).toMatchObject({ error: { code: 'not_found' } });
});

it('shows how far a warehouse import is, and its bad rows by place', async () => {
  const own = await newTeam({ origin: stack.origin });
  const warehouse = warehouseOf(folder);
  await warehouse.operate('warehouse set', { team_id: own.id });
  await warehouse.put(own, '1.csv', 'email\none@galaxy.example\nno address\n');
  const campaign = await warehouseCampaign(own);
  expect(await show('import show', { campaign_id: campaign }, own)).toMatchObject({ error: { code: 'not_found' } });
  await fault('s3', 'GetObject', 'InternalError');
  await send(campaign, own);
  await expectShown(campaign, { status: 'queuing', waits_for: 'import', import: 'reading' }, own);
  const ids = ['--team', String(own.id), '--campaign', String(campaign)];
  expect(await show('import show', { campaign_id: campaign }, own)).toMatchObject({
    status: 'reading',
    campaign_status: 'queuing',
    waits_for: 'workflow',
    objects: 1,
    reading: { object: 1, line: 1 },
    rows: 0,
  });
  await control('DELETE', '/faults', undefined, stack.origin);
  await ended(stack.origin, own, campaign);
  expect(await show('import show', { campaign_id: campaign }, own)).toMatchObject({
    status: 'imported',
    waits_for: null,
    rows: 2,
    bad_rows: 1,
    addresses: 1,
  });
  const text = await shown('import', 'show', ...ids);
  expect(text).toMatch(/Rows +2, 1 of them bad/);
  expect(text).toMatch(/Bad row +teams\S+1\.csv, line 3: /);
  expect(text).not.toContain('galaxy.example');
});

it('shows a sequence by its shards: what is due, what is on its way, and what it waits for', async () => {
  const own = await newTeam({ origin: stack.origin });
  const sequence = await newSequence(own, [newStep('One'), newStep('Two', 2)]);
  const ids = { sequence_id: sequence };
  expect(await show('sequence show', ids, own)).toMatchObject({ status: 'active', waits_for: 'subscribers', steps: 2 });
  await newContacts(own, ['ann@example.com']);
  await enrol(own, sequence, ['ann@example.com']);
  await idle(stack.origin);
  const found = await show('sequence show', ids, own);
  expect(found).toMatchObject({ waits_for: 'due_time', until: expect.any(String), enrolled: 1 });
  expect(found.shards).toHaveLength(1);
  expect(found.shards.flatMap(({ next_due_at }: { next_due_at: string | null }) => next_due_at ?? [])).toEqual([
    found.until,
  ]);
  expect(await shown('sequence', 'show', '--team', String(own.id), '--sequence', String(sequence))).toMatch(
    /Waits for +the time of its next step, until 20/,
  );
  await operate(folder, 'team suspend', { team_id: own.id });
  expect(await show('sequence show', ids, own)).toMatchObject({ waits_for: 'suspension' });
  await operate(folder, 'team unsuspend', { team_id: own.id });
  await own.data('PATCH', `/sequences/${sequence}`, { status: 'paused' });
  expect(await show('sequence show', ids, own)).toMatchObject({ status: 'paused', waits_for: 'team_to_activate' });
});

it('shows a webhook endpoint: its failures, what is pending, and when the next attempt is', async () => {
  const own = await newTeam({ origin: stack.origin });
  const { id } = await own.data('POST', '/webhooks', { url: 'https://1.1.1.1/hook', events: ['*'] });
  const ids = { webhook_id: id };
  expect(await show('webhook show', ids, own)).toMatchObject({
    status: 'active',
    waits_for: null,
    pending_deliveries: 0,
  });
  // No attempt may go to this address: each fails before it leaves the machine.
  const { pk, sk } = keys.webhook(own.id, id);
  const item = (await table.partition(pk)).find((row) => row.sk === sk)!;
  await table.write([{ ...item, url: 'https://127.0.0.1/hook', consecutive_failures: 2 }]);
  await own.data('POST', `/webhooks/${id}/test`);
  await expect
    .poll(() => show('webhook show', ids, own), { timeout: 30_000 })
    .toMatchObject({
      status: 'degraded',
      consecutive_failures: 3,
      waits_for: 'next_attempt',
      until: expect.any(String),
      pending_deliveries: 1,
      next_attempts: [{ attempt: 2, event_id: expect.any(String) }],
      last_error: expect.any(String),
    });
  const text = await shown('webhook', 'show', '--team', String(own.id), '--webhook', String(id));
  expect(text).toContain('Failed attempts in a row');
  expect(text).toMatch(new RegExp(`grep '"team_id":${own.id},"webhook_id":${id},' \\S+retry-webhook.log`));
  await own.data('PATCH', `/webhooks/${id}`, { is_active: false });
  expect(await show('webhook show', ids, own)).toMatchObject({ status: 'off', waits_for: 'team_to_activate' });
});

it('shows who did what, to a team and to the platform', async () => {
  const of = await newTeam({ origin: stack.origin });
  const key = await of.data('POST', '/api-keys', { name: 'Shop' });
  await of.data('DELETE', `/api-keys/${key.id}`);
  const lines = (await shown('audit', 'list', '--team', String(of.id))).trim().split('\n');
  expect(lines[0]).toMatch(
    /^\S+ {2}key 1 ".*" {2}api_key\.revoked {2}api_key 2 {2}\{"name":"Shop"\} {2}127\.0\.0\.1 {2}\S+$/,
  );
  expect(lines.at(-1)).toMatch(/ operator \S+ {2}team\.created {2}team \d+ {2}\{.*"name":"Test"/);
  await shown('queue', 'redrive', '--queue', 'webhooks');
  expect(await shown('audit', 'list', '--action', 'queue.redriven')).toContain('queue webhooks');
  expect(await shown('audit', 'list', '--team', String(of.id), '--action', 'contact.erased')).toContain('no such row');
});
