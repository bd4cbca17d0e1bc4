import { beforeAll, expect, inject } from 'vitest';
import { acceptedAddresses, everyRow, finished, readyCampaign } from '../../support/campaign.ts';
import { type Answer, newTeam, patient, type Team } from '../../support/team.ts';

let team: Team;
let tag: number;
beforeAll(async () => {
  // Hundreds of requests at once: a busy machine answers some with a 503, which a client repeats.
  team = patient(await newTeam());
  tag = (await ok(team.api('POST', '/tags', { name: 'Tag' }))).data.id;
});

const statuses = ['active', 'pending', 'unsubscribed', 'bounced'] as const;
const reasons = [undefined, 'unsubscribe', 'manual', 'hard_bounce', 'spam_report'] as const;
const strengths = { unsubscribe: 1, manual: 2, hard_bounce: 3, spam_report: 3 };

type Status = (typeof statuses)[number];
type Reason = keyof typeof strengths;

/** The state of one address. */
interface Standing {
  status: Status;
  reason: Reason | undefined;
}

/** One row of the table: the status of the address, and the reason of its suppression. */
interface Case extends Standing {
  email: string;
  list: number;
}

async function ok(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer;
  expect([status, body.code]).toEqual([200, undefined]);
  return body;
}

/** Brings an address into a status and then suppresses it for a reason. */
async function prepare(email: string, status: Status, reason: Reason | undefined): Promise<Standing> {
  await ok(team.api('POST', '/contacts', { email, status_if_new: status === 'pending' ? 'pending' : 'active' }));
  if (status === 'unsubscribed') await ok(team.api('PATCH', `/contacts/${email}`, { status }));
  if (status === 'bounced') await ok(team.api('POST', '/suppressions', { email, reason: 'hard_bounce' }));
  if (reason) await ok(team.api('POST', '/suppressions', { email, reason }));
  const first = ({ unsubscribed: 'unsubscribe', bounced: 'hard_bounce' } as const)[status as string];
  const standing = first && reason && strengths[reason] < strengths[first] ? first : (reason ?? first);
  const moves = { unsubscribe: 'unsubscribed', spam_report: 'unsubscribed', hard_bounce: 'bounced' } as const;
  const moved = status === 'active' || status === 'pending' ? moves[reason as 'unsubscribe'] : undefined;
  return { status: moved ?? status, reason: standing };
}

const unchanged = ({ status, reason }: Case): Standing => ({ status, reason });
const contact = ({ email }: Case) => `/contacts/${email}`;

/** Every action on a contact, with the status and suppression after it. */
const actions: Record<string, { act: (of: Case) => Promise<unknown>; expected: (of: Case) => Standing }> = {
  'an upsert': {
    act: ({ email }) => ok(team.api('POST', '/contacts', { email, status_if_new: 'active', first_name: 'Ann' })),
    expected: unchanged,
  },
  'a bulk upsert onto a list': {
    act: ({ email, list }) =>
      ok(team.api('POST', '/contacts/bulk', { contacts: [{ email, status_if_new: 'active' }], list_ids: [list] })),
    expected: unchanged,
  },
  'a deletion and the upsert that restores': {
    act: async ({ email, list }) => {
      await ok(team.api('DELETE', `/contacts/${email}`));
      await ok(team.api('POST', '/contacts', { email, status_if_new: 'active', list_ids: [list] }));
    },
    expected: unchanged,
  },
  'an erasure and a new contact on the address': {
    act: async ({ email }) => {
      await ok(team.api('POST', `/contacts/${email}/erase`));
      await ok(team.api('POST', '/contacts', { email, status_if_new: 'active' }));
    },
    expected: ({ reason }) => {
      const statusFor = { unsubscribe: 'unsubscribed', spam_report: 'unsubscribed', hard_bounce: 'bounced' } as const;
      return { status: statusFor[reason as 'unsubscribe'] ?? 'active', reason };
    },
  },
  'joining a list': {
    act: async ({ email, list }) => {
      const { id } = (await ok(team.api('GET', `/contacts/${email}`))).data;
      await ok(team.api('POST', `/lists/${list}/contacts`, { contact_ids: [id] }));
    },
    expected: unchanged,
  },
  'a tag': { act: (of) => ok(team.api('POST', `${contact(of)}/tags`, [tag])), expected: unchanged },
  'a PATCH of fields and lists': {
    act: (of) => ok(team.api('PATCH', contact(of), { last_name: 'Lee', list_ids: [of.list], tag_ids: [tag] })),
    expected: unchanged,
  },
  'a PATCH to active': {
    act: async (of) => {
      const { status } = await team.api('PATCH', contact(of), { status: 'active' });
      expect(status).toBe(of.status === 'bounced' ? 422 : 200);
    },
    expected: ({ status, reason }) =>
      status === 'bounced'
        ? { status, reason }
        : { status: 'active', reason: reason === 'unsubscribe' ? undefined : reason },
  },
  'a PATCH to pending': {
    act: async (of) => {
      const { status } = await team.api('PATCH', contact(of), { status: 'pending' });
      expect(status).toBe(of.status === 'bounced' || of.status === 'unsubscribed' ? 422 : 200);
    },
    expected: ({ status, reason }) => ({ status: status === 'active' ? 'pending' : status, reason }),
  },
  'a PATCH to unsubscribed': {
    act: (of) => ok(team.api('PATCH', contact(of), { status: 'unsubscribed' })),
    expected: ({ reason }) => ({ status: 'unsubscribed', reason: reason ?? 'unsubscribe' }),
  },
  'lifting the suppression': {
    act: async ({ email, reason }) => {
      const { status } = await team.api('DELETE', '/suppressions', { email });
      expect(status).toBe(reason ? 200 : 404);
    },
    // Every contact of the table was active before, except the pending ones.
    expected: ({ email, status, reason }) => ({
      status: reason && status !== 'pending' ? (email.startsWith('pending') ? 'pending' : 'active') : status,
      reason: undefined,
    }),
  },
};

/** The actions that an audience depends on most. */
export const quickActions = ['an upsert', 'lifting the suppression'];
export const deepActions = Object.keys(actions).filter((name) => !quickActions.includes(name));

/** Performs an action on a contact of every status and suppression, and sends a campaign to them all. */
export async function expectMailed(name: string): Promise<void> {
  const { act, expected } = actions[name]!;
  const domain = `${name.replaceAll(' ', '-').toLowerCase()}.example`;
  const always = `always@${domain}`;
  const { list, campaign } = await readyCampaign(team, [{ email: always }]);
  const check = async (wanted: Status, reason: Reason | undefined) => {
    const email = `${wanted}-${reason}@${domain}`;
    const before: Case = { email, list, ...(await prepare(email, wanted, reason)) };
    await act(before);
    const after = expected(before);
    expect((await ok(team.api('GET', contact(before)))).data).toMatchObject({ email, status: after.status });
    const standing = (await ok(team.api('GET', `/suppressions?email=${email}`))).data;
    const left = after.reason ? [after.reason] : [];
    expect([email, standing.map((row: { reason: string }) => row.reason)]).toEqual([email, left]);
    await ok(team.api('PATCH', contact(before), { list_ids: [list] }));
    return after.status === 'active' && !after.reason ? [email] : [];
  };
  const checks = statuses.flatMap((status) => reasons.map((reason) => check(status, reason)));
  const mailed = [always, ...(await Promise.all(checks)).flat()].sort();
  await ok(team.api('POST', `/campaigns/${campaign}/send`));
  expect(await finished(team, campaign)).toMatchObject({ status: 'sent', sent_count: mailed.length });
  expect(await acceptedAddresses(inject('origin'), team, campaign)).toEqual(mailed);
  const suppressed = await everyRow(team, `/campaigns/${campaign}/recipients`);
  for (const { email, status } of suppressed) expect(status).toBe(mailed.includes(email) ? 'sent' : 'suppressed');
}
