import { amplestAccount, smallestAccount, workersTogether } from '../../lib/concurrency.ts';
import type { DeploymentFacts, Fact, MailAccount, Place } from './facts.ts';

/**
 * What a check found. `stop`: a deployment cannot work, or nothing is sent. `limit`: it works, and less than it could.
 * `unknown`: AWS did not say.
 */
export interface Finding {
  level: 'stop' | 'limit' | 'unknown' | 'fine';
  says: string;
  /** A command that mends it. */
  command?: string;
}

/** What the templates ask of the bootstrap stack (`requiresBootstrapStackVersion` of the CDK's synthesizer). */
const oldestBootstrap = 6;

/** Checks the account before a stage is deployed to it. */
export function checkAccount({ place, bootstrap, concurrency, mail }: DeploymentFacts): Finding[] {
  return [
    ...of(bootstrap, (version) => checkBootstrap(version, place)),
    ...of(concurrency, checkConcurrency),
    ...of(mail, (account) => (account ? checkMail(account) : [noMail(place)])),
  ];
}

/** The findings on a fact, or the finding that it is not known. */
export function of<T>(fact: Fact<T>, check: (known: T) => Finding[]): Finding[] {
  return 'known' in fact ? check(fact.known) : [{ level: 'unknown', says: `AWS does not tell ${fact.unknown}.` }];
}

function checkBootstrap(version: number | null, { account, region }: Place): Finding[] {
  const command = `npx cdk bootstrap aws://${account}/${region}`;
  if (version === null)
    return [{ level: 'stop', says: 'The CDK is not bootstrapped in this account and region.', command }];
  if (version < oldestBootstrap)
    return [{ level: 'stop', says: `The CDK bootstrap is version ${version}, too old to deploy.`, command }];
  return [{ level: 'fine', says: `The CDK is bootstrapped (version ${version}).` }];
}

function checkConcurrency(functions: number): Finding[] {
  const workers = workersTogether(functions);
  const says = `Lambda runs ${functions} functions at once; the queues' workers take up to ${workers}`;
  if (functions >= amplestAccount) return [{ level: 'fine', says: `${says}.` }];
  const command = raise('lambda', 'L-B99A9384', Math.max(1_000, amplestAccount));
  if (functions >= smallestAccount)
    return [{ level: 'limit', says: `${says}, fewer than with ${amplestAccount}, so peaks take longer.`, command }];
  return [{ level: 'limit', says: `${says}: while they work, requests of the API are refused.`, command }];
}

const noMail = ({ region }: Place): Finding => ({
  level: 'stop',
  says: `${region} has no SES: choose another region (AWS_REGION).`,
});

function checkMail(account: MailAccount): Finding[] {
  const { inSandbox, sendingEnabled, review, max24HourSend, maxSendRate } = account;
  const quota = max24HourSend < 0 ? 'without a daily quota' : `${max24HourSend} emails a day`;
  return [
    ...(inSandbox ? [sandbox] : []),
    ...(sendingEnabled ? [] : [stopped]),
    ...(review === 'HEALTHY' ? [] : [underReview(review)]),
    { level: 'fine', says: `SES sends ${quota}, ${maxSendRate} a second.` },
  ];
}

const sandbox: Finding = {
  level: 'limit',
  says: 'SES is in its sandbox: it sends to verified addresses only. AWS reviews the request by hand, within a day.',
  command:
    'aws sesv2 put-account-details --production-access-enabled --mail-type MARKETING ' +
    '--website-url https://example.com --contact-language EN --use-case-description ' +
    '"What you send, to whom, how they subscribed; bounces and complaints are suppressed at once"',
};

const stopped: Finding = {
  level: 'stop',
  says: "AWS has paused this account's sending: answer its case in the Support Center.",
};

const underReview = (review: string): Finding => ({
  level: 'limit',
  says: `SES says of the account's reputation: ${review}. See docs/runbook.md#sending-reputation.`,
});

/** The command that asks AWS for a quota. */
export const raise = (service: string, quota: string, value: number): string =>
  'aws service-quotas request-service-quota-increase ' +
  `--service-code ${service} --quota-code ${quota} --desired-value ${value}`;
