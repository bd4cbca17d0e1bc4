import { logFailure } from '../../aws/log.ts';
import * as mailer from '../../aws/mailer.ts';
import * as stored from '../../data/messages/account-limits.ts';
import { Unavailable } from '../../domain/errors.ts';
import type { AccountLimits } from '../../domain/messages/account-limits.ts';

const freshMs = 60_000;
/** SES takes one such call a second, from the whole account. */
const intervalMs = 1_000;
/** How long a caller waits for the very first answer of SES. */
const patienceMs = 5_000;
const pollMs = 250;

let known: stored.StoredLimits | undefined;

/**
 * The SES account's limits, at most a minute old, and older ones while SES does not answer. They are in the table: all
 * functions together ask SES once a minute. Throws 503 when SES has never answered.
 */
export async function accountLimits(): Promise<AccountLimits> {
  for (const deadline = Date.now() + patienceMs; ; ) {
    if (!known?.limits || known.ask_at <= Date.now()) known = await refreshed();
    if (known?.limits) return known.limits;
    if (Date.now() > deadline) throw new Unavailable('SES does not say what the account may send; try again.');
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

/** The stored limits, after asking SES where it is the caller's turn. */
async function refreshed(): Promise<stored.StoredLimits | undefined> {
  const now = Date.now();
  const last = await stored.find();
  if (last && last.ask_at > now) return last;
  const stale = { limits: last?.limits, ask_at: now + intervalMs };
  if (!(await stored.claim(now, stale.ask_at))) return stale;
  try {
    const answer = { limits: await mailer.readAccount(), ask_at: Date.now() + freshMs };
    await stored.store(answer);
    return answer;
  } catch (error) {
    logFailure("the account's limits not read", error, {}, 'warn');
    return stale;
  }
}
