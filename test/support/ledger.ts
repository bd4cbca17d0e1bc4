import { expect } from 'vitest';
import { acceptedAddresses, everyRow } from './campaign.ts';
import type { Team } from './team.ts';

/** Emails a month on the business plan. */
export const allowance = 1_000_000;

/**
 * Compares an ended campaign, the only one of a team on the business plan, with what the provider accepted: no
 * recipient got two messages, each unsent one has a reason, counts add up, and the allowance counts accepted and
 * unknown messages. Returns the recipients.
 */
export async function expectExactLedger(
  origin: string,
  team: Team,
  campaign: number,
): Promise<{ email: string; status: string }[]> {
  const accepted = await acceptedAddresses(origin, team, campaign);
  expect(new Set(accepted).size).toBe(accepted.length);
  const listed = (await everyRow(team, `/campaigns/${campaign}/recipients`)) as { email: string; status: string }[];
  const having = (...statuses: string[]) => listed.filter(({ status }) => statuses.includes(status));
  expect(
    having('sent', 'bounced', 'complained')
      .map(({ email }) => email)
      .sort(),
  ).toEqual(accepted);
  const unsent = having('unknown', 'failed', 'suppressed', 'cancelled').length;
  expect(accepted.length + unsent).toBe(listed.length);
  const { data } = (await team.api('GET', `/campaigns/${campaign}`)).body;
  expect(data).toMatchObject({
    total_recipients: listed.length,
    sent_count: accepted.length,
    failed_count: having('failed').length,
  });
  const { body } = await team.api('POST', `/campaigns/${campaign}/preflight`);
  expect(body.data.allowance_remaining).toBe(allowance - accepted.length - having('unknown').length);
  return listed;
}
