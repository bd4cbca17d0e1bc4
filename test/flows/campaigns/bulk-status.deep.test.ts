import type { BulkEmailStatus } from '@aws-sdk/client-sesv2';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { handling } from '../../support/bulk-status.ts';
import { everyRow, finished, readyCampaign, rows } from '../../support/campaign.ts';
import { enrol, newContacts, newSequence, newStep, pass, subscribersOf } from '../../support/sequence.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { control, newTeam, type Team } from '../../support/team.ts';

const patience = { timeout: 60_000, interval: 100 };

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterEach(() => mend());
afterAll(() => stack?.stop());

const inject = (error: string) =>
  control('POST', '/faults', { service: 'ses', operation: 'SendBulkEmail', error }, stack.origin);
const mend = () => control('DELETE', '/faults', undefined, stack.origin);
const forward = (seconds: number) => pass(stack.origin, seconds);

/** Waits until SES was called a second time for what it did not accept; such a stack is never idle. */
async function calledAgain(): Promise<void> {
  const calls = async () => (await control('GET', '/usage', undefined, stack.origin)).body.calls['ses:SendBulkEmail'];
  const before = (await calls()) ?? 0;
  await vi.waitUntil(async () => ((await calls()) ?? 0) >= before + 2, patience);
}

const withStatus = Object.entries(handling);
const sentLater = withStatus.filter(([, what]) => what !== 'sends' && what !== 'fails');

describe('a campaign of which SES answers for each message', () => {
  it.each(withStatus)('%s: %s', async (status, what) => {
    const own = await newTeam({ origin: stack.origin });
    await inject(status);
    const { campaign } = await readyCampaign(own, rows(3, 'status.example'));
    await own.data('POST', `/campaigns/${campaign}/send`);
    await outcome[what](own, campaign);
  });
});

const outcome: Record<(typeof handling)[keyof typeof handling], (own: Team, campaign: number) => Promise<void>> = {
  async sends(own, campaign) {
    expect(await finished(own, campaign, stack.origin)).toMatchObject({ status: 'sent', sent_count: 3 });
  },
  async fails(own, campaign) {
    expect(await finished(own, campaign, stack.origin)).toMatchObject({ status: 'failed', failed_count: 3 });
    const listed = await everyRow(own, `/campaigns/${campaign}/recipients`);
    expect(listed.map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
  },
  async retries(own, campaign) {
    const now = () => own.data('GET', `/campaigns/${campaign}`);
    await calledAgain();
    expect(await now()).toMatchObject({ status: 'sending', sent_count: 0, failed_count: 0 });
    await mend();
    await forward(60);
    expect(await finished(own, campaign, stack.origin)).toMatchObject({ status: 'sent', sent_count: 3 });
  },
  async pauses(own, campaign) {
    expect(await finished(own, campaign, stack.origin)).toMatchObject({ status: 'paused', failed_count: 0 });
    await mend();
    await forward(20 * 60);
    expect(await finished(own, campaign, stack.origin)).toMatchObject({ status: 'sent', sent_count: 3 });
  },
  async 'waits for its team'(own, campaign) {
    const paused = { status: 'paused', failure_reason: 'sending_domain_unverified', failed_count: 0 };
    expect(await finished(own, campaign, stack.origin)).toMatchObject(paused);
    await mend();
    await own.data('POST', `/campaigns/${campaign}/resume`);
    expect(await finished(own, campaign, stack.origin)).toMatchObject({ status: 'sent', sent_count: 3 });
  },
};

describe('a sequence', () => {
  const enrolled = async () => {
    const own = await newTeam({ origin: stack.origin });
    const sequence = await newSequence(own, [newStep('One', 1, 'minutes')]);
    const emails = ['a', 'b', 'c'].map((name) => `${name}@status.example`);
    await newContacts(own, emails);
    await enrol(own, sequence, emails);
    return async () => [...(await subscribersOf(own, sequence)).values()].map(({ status }) => status);
  };

  it.each(sentLater.map(([status]) => status))('waits and loses nobody under %s', async (status) => {
    const statuses = await enrolled();
    await inject(status);
    if (handling[status as BulkEmailStatus] === 'retries') {
      await control('POST', '/clock', { advance_seconds: 150 }, stack.origin);
      await calledAgain();
    } else await forward(150);
    expect(await statuses()).toEqual(['active', 'active', 'active']);
    await mend();
    await forward(20 * 60);
    expect(await statuses()).toEqual(['completed', 'completed', 'completed']);
  });

  it.each(['FAILED', 'INVALID_PARAMETER', 'MESSAGE_REJECTED'])('fails the subscriber under %s', async (status) => {
    const statuses = await enrolled();
    await inject(status);
    await forward(150);
    expect(await statuses()).toEqual(['failed', 'failed', 'failed']);
  });
});
