import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Explained } from '../local-stack.ts';
import type { Api } from './api.ts';
import { newsletter, newsletterHtml } from './newsletter.ts';
import { number, Progress } from './screen.ts';

const pollMilliseconds = 500;
const onItsWay = ['screening', 'queuing', 'sending', 'paused'];

/** What to do about a blocker of `preflight`. */
const remedies: Record<string, string> = {
  sending_domain_unverified: `the domain of ${newsletter.from_email} is not verified for this team`,
  audience_empty: 'no contact on the list is active',
  plan_allowance_exceeded: "the month's allowance does not cover the audience",
  sending_suspended: 'an operator has suspended the team',
  abuse_screening_failed: "the team's bounce or complaint rate is too high",
};

/** The part of a campaign that the demo looks at. */
export interface Campaign {
  id: number;
  name: string;
  status: string;
  total_recipients: number;
  sent_count: number;
  failed_count: number;
  failure_reason: string | null;
}

/** Creates the demo's campaign to a list, checks it, sends it once, and follows it to its end. */
export async function sendCampaign(api: Api, name: string, list: { id: number; contacts: number }): Promise<Campaign> {
  const { data: draft } = await api.call('POST', '/campaigns', { ...newsletter, name, contact_list_id: list.id });
  await api.call('PUT', `/campaigns/${draft.id}/content`, { html_content: newsletterHtml });
  await preflight(api, draft.id, list.contacts);
  const sendKey = `demo-send-${randomUUID()}`;
  const { data: launched } = await api.call('POST', `/campaigns/${draft.id}/send`, undefined, sendKey);
  return follow(api, launched);
}

async function preflight(api: Api, campaignId: number, contacts: number): Promise<void> {
  const { data } = await api.call('POST', `/campaigns/${campaignId}/preflight`);
  const { launchable, blockers, estimated_recipients } = data as {
    launchable: boolean;
    blockers: string[];
    estimated_recipients: number | null;
  };
  if (!launchable) {
    const lines = blockers.map((word) => `\n  - ${word}${remedies[word] ? `: ${remedies[word]}` : ''}`);
    throw new Explained(`Campaign ${campaignId} cannot be sent:${lines.join('')}`);
  }
  const recipients = estimated_recipients ?? 0;
  console.log(`  preflight  nothing stands in the way; ${number(recipients)} recipients`);
  if (recipients < contacts)
    console.log(
      `    ${number(contacts - recipients)} on the list are not active: they bounced, complained or unsubscribed`,
    );
}

async function follow(api: Api, launched: Campaign): Promise<Campaign> {
  const progress = new Progress('sending');
  let campaign = launched;
  while (onItsWay.includes(campaign.status)) {
    const { sent_count, failed_count, total_recipients, status } = campaign;
    progress.update(sent_count + failed_count, total_recipients, `${status}, ${number(sent_count)} sent`);
    await sleep(pollMilliseconds);
    campaign = (await api.call('GET', `/campaigns/${launched.id}`)).data;
  }
  progress.end(`${campaign.status}: ${number(campaign.sent_count)} of ${number(campaign.total_recipients)}`);
  if (campaign.status === 'held')
    throw new Explained(`${campaign.failure_reason}\nAn operator decides: npm run admin -- campaign release|refuse`);
  if (campaign.status === 'failed' || campaign.status === 'cancelled')
    throw new Explained(`The campaign is ${campaign.status}: ${campaign.failure_reason}`);
  return campaign;
}
