import { setTimeout as sleep } from 'node:timers/promises';
import type { Blocker, Campaign, List, Mailwright } from '../../client/src/index.ts';
import { Explained } from '../local-stack.ts';
import { newsletter, newsletterHtml } from './newsletter.ts';
import { number, Progress } from './screen.ts';

const pollMilliseconds = 500;
const unfinished: Campaign['status'][] = ['screening', 'queuing', 'sending', 'paused'];

/** Explanations of blockers. */
const remedies: Partial<Record<Blocker, string>> = {
  sending_domain_unverified: `the domain of ${newsletter.from_email} is not verified for this team`,
  audience_empty: 'no contact on the list is active',
  plan_allowance_exceeded: "the month's allowance does not cover the audience",
  sending_suspended: 'an operator has suspended the team',
  abuse_screening_failed: "the team's bounce or complaint rate is too high",
};

/** Creates the demo's campaign, checks it, sends it, and waits for its end. */
export async function sendCampaign(api: Mailwright, name: string, list: List): Promise<Campaign> {
  const draft = await api.campaigns.create({ ...newsletter, name, contact_list_id: list.id });
  await api.campaigns.setContent(draft.id, { html_content: newsletterHtml });
  await preflight(api, draft.id, list.contacts_count);
  return follow(api, await api.campaigns.send(draft.id));
}

async function preflight(api: Mailwright, campaignId: number, contacts: number): Promise<void> {
  const { launchable, blockers, estimated_recipients } = await api.campaigns.preflight(campaignId);
  if (!launchable) {
    const lines = blockers.map((word) => `\n  - ${word}${remedies[word] ? `: ${remedies[word]}` : ''}`);
    throw new Explained(`Campaign ${campaignId} cannot be sent:${lines.join('')}`);
  }
  const recipients = estimated_recipients ?? 0;
  console.log(`  preflight  no blockers; ${number(recipients)} recipients`);
  if (recipients < contacts)
    console.log(
      `    ${number(contacts - recipients)} on the list are not active: they bounced, complained or unsubscribed`,
    );
}

async function follow(api: Mailwright, launched: Campaign): Promise<Campaign> {
  const progress = new Progress('sending');
  let campaign = launched;
  while (unfinished.includes(campaign.status)) {
    const { sent_count, failed_count, total_recipients, status } = campaign;
    progress.update(sent_count + failed_count, total_recipients, `${status}, ${number(sent_count)} sent`);
    await sleep(pollMilliseconds);
    campaign = await api.campaigns.get(launched.id);
  }
  progress.end(`${campaign.status}: ${number(campaign.sent_count)} of ${number(campaign.total_recipients)}`);
  if (campaign.status === 'held')
    throw new Explained(`${campaign.failure_reason}\nAn operator decides: npm run admin -- campaign release|refuse`);
  if (campaign.status === 'failed' || campaign.status === 'cancelled')
    throw new Explained(`The campaign is ${campaign.status}: ${campaign.failure_reason}`);
  return campaign;
}
