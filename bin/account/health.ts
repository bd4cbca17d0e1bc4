import { checkAccount, type Finding, of, raise } from './checks.ts';
import { type DeployedStack, knownOf, type MailAccount, type StackName, type StageFacts, stackNames } from './facts.ts';

/** Above this part of the daily quota the next larger campaign is likely to wait for another day. */
const nearQuota = 0.8;

/** How a deployed stage is: what is missing, what rings, and what is fine. */
export function checkStage(facts: StageFacts): Finding[] {
  const { stage, stacks, ringing, subscribers, domains, busiestDay, mail } = facts;
  return [
    ...stackNames.map((name) => checkStack(name, stacks[name], stage)),
    ...of(ringing, checkAlarms),
    ...of(subscribers, (counts) => [checkSubscribers(counts, facts)]),
    ...of(domains, (found) => checkDomains(found, stage)),
    ...checkAccount(facts),
    ...of(busiestDay, (sent) => checkQuota(sent, knownOf(mail))),
  ];
}

function checkStack(name: StackName, stack: DeployedStack | undefined, stage: string): Finding {
  const command = `npm run deploy -- --stage ${stage}`;
  if (!stack) return { level: 'stop', says: `The stack ${name} is not there.`, command };
  if (/^(CREATE|UPDATE)_COMPLETE$/.test(stack.status)) return { level: 'fine', says: `The stack ${name} is deployed.` };
  const says = `The stack ${name} is ${stack.status}`;
  if (stack.status.endsWith('_IN_PROGRESS')) return { level: 'limit', says: `${says}: a deployment is under way.` };
  return { level: /^UPDATE_ROLLBACK_COMPLETE$/.test(stack.status) ? 'limit' : 'stop', says: `${says}.`, command };
}

function checkAlarms(ringing: readonly string[]): Finding[] {
  if (ringing.length === 0) return [{ level: 'fine', says: 'No alarm rings.' }];
  return ringing.map((name) => ({ level: 'stop', says: `The alarm ${name} rings: its text names what to do.` }));
}

function checkSubscribers(counts: { confirmed: number; pending: number }, { place, stage }: StageFacts): Finding {
  const { confirmed, pending } = counts;
  if (confirmed > 0) return { level: 'fine', says: `Alarms reach ${confirmed} subscribers.` };
  if (pending > 0) return { level: 'stop', says: 'Alarms reach nobody: the mail to confirm the subscription waits.' };
  return { level: 'stop', says: 'Alarms reach nobody.', command: subscribeCommand(place, stage) };
}

/** The command that subscribes an operator to a stage's alarms. */
export const subscribeCommand = ({ partition, region, account }: StageFacts['place'], stage: string): string =>
  'aws sns subscribe --protocol email --notification-endpoint you@example.com ' +
  `--topic-arn arn:${partition}:sns:${region}:${account}:mailwright-${stage}-operators`;

function checkDomains(domains: readonly { name: string; verified: boolean }[], stage: string): Finding[] {
  const command = `npm run admin -- domain add --team 1 --domain news.example.com --publish --stage ${stage}`;
  if (domains.length === 0) return [{ level: 'stop', says: 'There is no sending domain.', command }];
  const waiting = domains.filter(({ verified }) => !verified).map(({ name }) => name);
  const verified = domains.length - waiting.length;
  return [
    ...(verified > 0 ? [{ level: 'fine', says: `Verified sending domains: ${verified}.` } as const] : []),
    ...(waiting.length > 0 ? [{ level: 'limit', says: `Not verified: ${waiting.join(', ')}.` } as const] : []),
  ];
}

function checkQuota(busiestDay: number, account: MailAccount | null | undefined): Finding[] {
  if (!account) return [];
  const { max24HourSend, inSandbox } = account;
  const sent = `The busiest day of four weeks had ${busiestDay} emails`;
  if (max24HourSend < 0 || inSandbox || busiestDay < max24HourSend * nearQuota)
    return [{ level: 'fine', says: `${sent}.` }];
  const command = raise('ses', 'L-804C8AE8', Math.ceil(busiestDay / nearQuota) * 2);
  return [{ level: 'limit', says: `${sent}, near the quota of ${max24HourSend} a day.`, command }];
}
