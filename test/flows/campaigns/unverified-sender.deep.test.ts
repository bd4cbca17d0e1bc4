import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DeleteEmailIdentityCommand, PutAccountDetailsCommand, SESv2Client } from '@aws-sdk/client-sesv2';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { everyRow, finished, idle, messagesOf, readyCampaign, rows } from '../../support/campaign.ts';
import { enrol, newContacts, newSequence, newStep, pass, stepsSent, subscribersOf } from '../../support/sequence.ts';
import { awsOf, type Stack, startStack } from '../../support/stack.ts';
import { rawTable } from '../../support/table.ts';
import { control, newTeam, type Team } from '../../support/team.ts';

const patience = { timeout: 60_000, interval: 100 };
const data = mkdtempSync(join(tmpdir(), 'mailwright-unverified-'));

let stack: Stack;
let ses: SESv2Client;
beforeAll(async () => {
  stack = await startStack({ data });
  ses = new SESv2Client(awsOf(data));
});
afterEach(() => mend());
afterAll(async () => {
  await stack?.stop();
  rmSync(data, { recursive: true, force: true });
});

const ownTeam = () => newTeam({ origin: stack.origin });
const inject = (error: string, operation = 'SendBulkEmail') =>
  control('POST', '/faults', { service: 'ses', operation, error }, stack.origin);
const mend = () => control('DELETE', '/faults', undefined, stack.origin);
const forward = (seconds: number) => pass(stack.origin, seconds);
/** Removes the team's domain from SES, and adds it again. */
const lose = (own: Team) => ses.send(new DeleteEmailIdentityCommand({ EmailIdentity: own.domain }));
const regain = (own: Team) => control('POST', '/identities', { domain: own.domain }, stack.origin);

const unverified = ['MailFromDomainNotVerifiedException'];
/** Errors of the account or of the installation, not of a recipient. */
const blocked = [
  'AccountSuspendedException',
  'SendingPausedException',
  'NotFoundException',
  // SES's name for it in the API before this one.
  'CONFIGURATION_SET_DOES_NOT_EXIST',
];

async function sendCampaign(own: Team, people: { email: string }[] = rows(3, 'lapse.example')): Promise<number> {
  const { campaign } = await readyCampaign(own, people);
  await own.data('POST', `/campaigns/${campaign}/send`);
  return campaign;
}

const statusesOf = async (own: Team, campaign: number) =>
  new Set((await everyRow(own, `/campaigns/${campaign}/recipients`)).map(({ status }) => status));

describe('a campaign', () => {
  it('whose domain lapses in mid-send pauses with the rest pending, and then reaches everybody', async () => {
    const own = await ownTeam();
    await inject('TooManyRequestsException');
    const campaign = await sendCampaign(own, rows(120, 'lapse.example'));
    // Its pages come back from SES as long as it throttles.
    await vi.waitUntil(async () => (await own.data('GET', `/campaigns/${campaign}`)).status === 'sending', patience);
    await lose(own);
    await mend();
    await forward(30);
    const paused = { status: 'paused', failure_reason: 'sending_domain_unverified', sent_count: 0, failed_count: 0 };
    expect(await own.data('GET', `/campaigns/${campaign}`)).toMatchObject(paused);
    expect(await statusesOf(own, campaign)).toEqual(new Set(['pending']));
    // The team that resumes too early has the same campaign as before.
    await own.data('POST', `/campaigns/${campaign}/resume`);
    await forward(30);
    expect(await own.data('GET', `/campaigns/${campaign}`)).toMatchObject(paused);
    await regain(own);
    await own.data('POST', `/campaigns/${campaign}/resume`);
    expect(await finished(own, campaign, stack.origin)).toMatchObject({ status: 'sent', sent_count: 120 });
    expect((await messagesOf(own, campaign, stack.origin)).size).toBe(120);
  });

  it.each(unverified)('pauses until its team resumes it when SES answers %s', async (error) => {
    const own = await ownTeam();
    await inject(error);
    const campaign = await sendCampaign(own);
    const { status, failure_reason, failed_count } = await finished(own, campaign, stack.origin);
    expect([status, failure_reason, failed_count]).toEqual(['paused', 'sending_domain_unverified', 0]);
    await mend();
    await own.data('POST', `/campaigns/${campaign}/resume`);
    expect(await finished(own, campaign, stack.origin)).toMatchObject({ status: 'sent', sent_count: 3 });
  });

  it.each(blocked)('pauses, and goes on by itself, when SES answers %s', async (error) => {
    const own = await ownTeam();
    await inject(error);
    const campaign = await sendCampaign(own);
    const { status, failure_reason, failed_count } = await finished(own, campaign, stack.origin);
    expect([status, failure_reason, failed_count]).toEqual(['paused', expect.stringMatching(/\w/), 0]);
    await mend();
    await forward(20 * 60);
    expect(await finished(own, campaign, stack.origin)).toMatchObject({ status: 'sent', sent_count: 3 });
  });
});

it('a transactional message from a domain that lapsed is refused as unverified, and not counted', async () => {
  const own = await ownTeam();
  const message = { from_email: `me@${own.domain}`, to: 'you@lapse.example', subject: 'Hi', html: '<p>Hi</p>' };
  const { campaign } = await readyCampaign(own, rows(1, 'lapse.example'));
  const left = async () => (await own.data('POST', `/campaigns/${campaign}/preflight`)).allowance_remaining;
  expect((await own.api('POST', '/send', message)).body.data).toMatchObject({ delivered: true });
  const before = await left();
  await lose(own);
  const { status, body } = await own.api('POST', '/send', message);
  expect([status, body.code]).toEqual([422, 'sending_domain_unverified']);
  expect(await left()).toBe(before);
  // What SES said is known from then on.
  const preflight = await own.data('POST', `/campaigns/${campaign}/preflight`);
  expect(preflight.blockers).toContain('sending_domain_unverified');
  await regain(own);
  expect((await own.api('POST', '/send', message)).body.data).toMatchObject({ delivered: true });
});

it('a request to confirm a subscription waits until the domain is verified', async () => {
  const own = await ownTeam();
  const list = await own.data('POST', '/lists', { name: 'Double', opt_in_mode: 'double' });
  await lose(own);
  const email = 'confirm@lapse.example';
  await own.data('POST', '/contacts', { email, list_ids: [list.id] });
  await idle(stack.origin);
  await regain(own);
  await forward(16 * 60);
  expect((await control('GET', `/messages?to=${email}`, undefined, stack.origin)).body.data).toHaveLength(1);
});

describe('a sequence', () => {
  it.each(['a lapsed domain', ...unverified, ...blocked])('waits and loses nobody under %s', async (error) => {
    const own = await ownTeam();
    const sequence = await newSequence(own, [newStep('One', 1, 'minutes')]);
    const emails = ['a', 'b', 'c'].map((name) => `${name}@lapse.example`);
    await newContacts(own, emails);
    await enrol(own, sequence, emails);
    if (error === 'a lapsed domain') await lose(own);
    else await inject(error);
    await forward(150);
    const waiting = [...(await subscribersOf(own, sequence)).values()];
    expect(waiting.map(({ status }) => status)).toEqual(['active', 'active', 'active']);
    if (error === 'a lapsed domain') await regain(own);
    await mend();
    await forward(20 * 60);
    expect((await stepsSent(own, sequence, stack.origin)).map(({ to }) => to).sort()).toEqual(emails);
  });
});

describe('while the SES account is in sandbox', () => {
  const production = (ProductionAccessEnabled: boolean) =>
    ses.send(
      new PutAccountDetailsCommand({
        MailType: 'MARKETING',
        WebsiteURL: 'https://example.com',
        ProductionAccessEnabled,
      }),
    );
  afterEach(() => production(true));

  it('recipients that are not verified fail each by itself, and no record keeps an address in the reason', async () => {
    const own = await ownTeam();
    // SES refuses them before we have noticed: an account that we know to be in sandbox sends no campaign.
    const table = await rawTable(data);
    const { id } = await own.data('POST', '/campaigns', { name: 'Asks for the limits' });
    await own.data('POST', `/campaigns/${id}/preflight`);
    const limits = (await table.partition('PLATFORM')).find(({ sk }) => sk === 'ACCOUNT_LIMITS')!;
    await table.write([{ ...limits, ask_at: Date.now() + 365 * 86_400_000 }]);
    await production(false);
    const people = [{ email: 'Refused@lapse.example' }, { email: `fine@${own.domain}` }];
    const campaign = await sendCampaign(own, people);
    expect(await finished(own, campaign, stack.origin)).toMatchObject({ status: 'partial', sent_count: 1 });
    const listed = await everyRow(own, `/campaigns/${campaign}/recipients`);
    const [sent, failed] = listed.sort((a, b) => (a.email < b.email ? -1 : 1));
    expect([sent.status, failed.status]).toEqual(['sent', 'failed']);
    expect(failed.error_message).toContain('Email address is not verified');
    expect(failed.error_message).not.toMatch(/@/);

    const sequence = await newSequence(own, [newStep('One')]);
    await enrol(own, sequence, [failed.email, sent.email]);
    await idle(stack.origin);
    const inside = await subscribersOf(own, sequence);
    expect(inside.get(sent.email)).toMatchObject({ status: 'completed' });
    expect(inside.get(failed.email)).toMatchObject({ status: 'failed' });
    expect(inside.get(failed.email).exit_reason).toContain('Email address is not verified');
    expect(inside.get(failed.email).exit_reason).not.toMatch(/@/);

    // As the version before has stored it.
    const rowsOf = () => table.partition(`TEAM#${own.id}#SEQUENCE#${sequence}#SUBSCRIBERS`);
    const row = (await rowsOf()).find(({ status }) => status === 'failed')!;
    await table.write([{ ...row, exit_reason: `Email address is not verified: ${failed.email}` }]);
    await own.data('POST', `/contacts/${failed.contact_id}/erase`);
    expect(JSON.stringify(await rowsOf())).not.toContain(failed.email);
  });
});
