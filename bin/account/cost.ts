import { type PricingPlan, sendingPrice } from '../../shared/domain/messages/sending-price.ts';

/**
 * US dollars a month in us-east-1: an alarm, Lambda's polling of a queue, a key, reading the table every minute, the
 * secret of a firewall, and its web ACL with three rules.
 */
const prices = { alarm: 0.1, queue: 0.22, key: 1, reading: 0.1, secret: 0.4, webAcl: 8 };

/** US dollars a GB and month in the table: storage, and point-in-time recovery. */
export const dollarsPerGb = 0.45;

/** CloudFormation templates, as far as costs need them. */
export type Templates = readonly { Resources?: Record<string, { Type: string }> }[];

const dollars = (amount: number) => `$${amount.toFixed(2)}`;
const million = 1_000_000;

/** How many resources the templates hold. */
export const resourcesIn = (templates: Templates): number =>
  templates.reduce((sum, { Resources = {} }) => sum + Object.keys(Resources).length, 0);

/** What a stage costs: an idle month, from what its templates hold, and a million emails on the account's plan. */
export function costLines(templates: Templates, plan: PricingPlan): string[] {
  const types = templates.flatMap(({ Resources = {} }) => Object.values(Resources).map(({ Type }) => Type));
  const count = (type: string) => types.filter((other) => other === type).length;
  const [alarms, queues] = [count('AWS::CloudWatch::Alarm'), count('AWS::Lambda::EventSourceMapping')];
  const keys = count('AWS::KMS::Key');
  const firewall = count('AWS::SecretsManager::Secret') * prices.secret + count('AWS::WAFv2::WebACL') * prices.webAcl;
  const idle = alarms * prices.alarm + queues * prices.queue + keys * prices.key + prices.reading + firewall;
  const { ses, infrastructure, total } = sendingPrice(million, plan);
  const named = plan === 'NONE' ? 'no pricing plan' : `the plan ${plan}`;
  return [
    `An idle month costs about ${dollars(idle)}: ${alarms} alarms ${dollars(alarms * prices.alarm)}, ` +
      `${queues} queues ${dollars(queues * prices.queue)}, ` +
      `${keys} keys ${dollars(keys * prices.key)}, reading the table ${dollars(prices.reading)}` +
      `${firewall > 0 ? `, the firewall ${dollars(firewall)}` : ''}.`,
    `A million emails cost about ${dollars(total)}: SES ${dollars(ses)} (${named}), ` +
      `everything else ${dollars(infrastructure)}.`,
  ];
}
