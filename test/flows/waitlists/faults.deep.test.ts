import { expect, it } from 'vitest';
import { control } from '../../support/team.ts';
import { every, messages, newWaitlist, signUp, stack, team, untilServed } from './faults.setup.ts';

const inject = (fault: object) => control('POST', '/faults', fault, stack.origin);

it.each([
  ['lost_response', 0.25],
  ['TransactionCanceledException', 0.3],
  ['ProvisionedThroughputExceededException', 0.25],
])(
  'loses and doubles no signup and keeps every count when transactions answer %s',
  async (error, rate) => {
    const waitlist = await newWaitlist();
    const first = (await signUp(waitlist, `first-${waitlist}@example.com`)).body.data;
    await inject({ service: 'dynamodb', operation: 'TransactWriteItems', error, rate });
    const emails = Array.from({ length: 24 }, (_, index) => `p${index}-${waitlist}@example.com`);
    const workers = [0, 1, 2, 3].map(async (worker) => {
      for (const email of emails.slice(worker * 6, worker * 6 + 6)) {
        const answer = await signUp(waitlist, email, worker === 0 ? first.referral_code : undefined);
        expect([answer.status, answer.body.data.email]).toEqual([200, email]);
      }
    });
    await Promise.all(workers);
    const key = { 'idempotency-key': `invite-${waitlist}` };
    const invited = await untilServed(() => team.api('POST', `/waitlists/${waitlist}/invite`, { count: 10 }, key));
    expect([invited.status, invited.body.data?.invited]).toEqual([200, 10]);
    await control('DELETE', '/faults', undefined, stack.origin);

    const all = await every(waitlist);
    expect(all.map(({ email }) => email).sort()).toEqual([first.email, ...emails].sort());
    const waiting = all.filter(({ status }) => status === 'pending').map(({ position }) => position);
    expect(waiting.sort((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
    expect(all.find(({ id }) => id === first.id).referrals_count).toBe(6);
    expect((await team.api('GET', `/waitlists/${waitlist}`)).body.data.signups_count).toBe(25);
    const invitees = all.filter(({ status }) => status === 'invited').map(({ email }) => email);
    expect((await messages(waitlist)).sort()).toEqual(invitees.sort());
  },
  120_000,
);
