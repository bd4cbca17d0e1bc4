import { config } from '../aws/config.ts';
import { redrive } from '../aws/queue.ts';
import * as campaigns from '../data/campaigns/campaigns.ts';
import * as lists from '../data/contacts/lists.ts';
import { takeIds } from '../data/counters.ts';
import { sealFromFirstTeam } from '../data/data-keys.ts';
import { jobWrite } from '../data/due-jobs.ts';
import { rotateSigningKey as addSigningKey } from '../data/signing-key.ts';
import * as apiKeys from '../data/teams/api-keys.ts';
import { auditWrite, platformLog, record } from '../data/teams/audit-log.ts';
import * as canaries from '../data/teams/canary.ts';
import * as keyFamilies from '../data/teams/key-families.ts';
import * as domains from '../data/teams/sending-domains.ts';
import * as teams from '../data/teams/teams.ts';
import type { Actor } from '../domain/actor.ts';
import { moves } from '../domain/campaigns/status.ts';
import { domainFault, domainOf } from '../domain/email-address.ts';
import { NotApplicable, NotFound, ValidationError } from '../domain/errors.ts';
import { generateApiKey } from '../domain/teams/api-key.ts';
import type { Plan } from '../domain/teams/plans.ts';
import type { Scope } from '../domain/teams/scopes.ts';
import { rerun, resume } from './campaigns/launch.ts';
import { writeWithEvent } from './campaigns/publish-status.ts';
import { moveRow } from './campaigns/request-move.ts';
import { addSendingDomain, showSendingDomain } from './teams/sending-domains.ts';

async function existingTeam(teamId: number): Promise<teams.TeamItem> {
  const team = await teams.find(teamId);
  if (!team) throw new NotFound(`team: ${teamId}`);
  return team;
}

/** Creates a team with its default list. */
export async function createTeam(input: { name: string; plan: Plan; sandbox: boolean }, by: Actor) {
  await sealFromFirstTeam();
  const team = await teams.create(input, by);
  await lists.createDefault(team.id);
  return { team_id: team.id };
}

/** Puts a team and all its keys on a plan. */
export async function setPlan(input: { team_id: number; plan: Plan }, by: Actor) {
  const team = await existingTeam(input.team_id);
  await teams.setPlan(input.team_id, team, input.plan, by);
  await apiKeys.setPlan(input.team_id, input.plan);
  return { team_id: input.team_id, plan: input.plan };
}

/**
 * Forbids a team to send: none of its campaigns starts, and those being sent are paused. One that the quota had paused
 * stays paused, one that is being queued opens paused.
 */
export async function suspendTeam({ team_id }: { team_id: number }, by: Actor) {
  await existingTeam(team_id);
  await teams.setSuspended(team_id, true, by);
  const paused: number[] = [];
  for await (const { item } of campaigns.list(team_id)('forward', undefined, 100)) {
    if (item.status === 'paused') await campaigns.change(team_id, item.id, ['paused'], { paused_by: undefined });
    if (item.status !== 'sending') continue;
    const row = moveRow(team_id, item, by, { move: 'pause' });
    const failure_reason = 'sending_suspended';
    if (await campaigns.move(team_id, item.id, 'pause', { failure_reason }, {}, [row])) paused.push(item.id);
  }
  return { team_id, paused };
}

/** Allows a team to send again; its paused campaigns stay paused. */
export async function unsuspendTeam({ team_id }: { team_id: number }, by: Actor) {
  await existingTeam(team_id);
  await teams.setSuspended(team_id, false, by);
  return { team_id };
}

/** Makes an API key; without `scopes` a legacy key, which holds every scope. */
export async function createKey(
  input: { team_id: number; name: string; scopes?: Scope[]; expires_at?: string },
  by: Actor,
) {
  const team = await existingTeam(input.team_id);
  const secret = generateApiKey();
  const item = await keyFamilies.create(team.id, by, {
    id: await takeIds(team.id, 'api_key'),
    secret,
    team_name: team.name,
    plan: team.plan,
    name: input.name,
    scopes: input.scopes,
    expires_at: input.expires_at,
  });
  return { id: item.id, key: secret };
}

/** Lets the canary send as a team, from an address at a verified domain of it, with a key that can do no more. */
export async function setCanary({ team_id, from_email }: { team_id: number; from_email: string }, by: Actor) {
  const domain = domainOf(from_email);
  if ((await domains.find(team_id, domain))?.status !== 'verified')
    throw new NotApplicable(`${domain} is not a verified domain of team ${team_id}.`);
  const before = await canaries.find();
  const scopes: Scope[] = ['transactional:send', 'events:read'];
  const { id, key } = await createKey({ team_id, name: 'canary', scopes }, by);
  await canaries.set({ team_id, from_email, key_id: id, api_key: key });
  const replaced = before && (await apiKeys.find(before.team_id, before.key_id));
  if (replaced) await apiKeys.revoke(before.team_id, replaced, by);
  return { team_id, from_email };
}

/** Gives a domain to a team and asks SES to verify it; returns the DNS records to publish. */
export async function addDomain(input: { team_id: number; domain: string; mail_from_subdomain?: string }, by: Actor) {
  await existingTeam(input.team_id);
  const fault = domainFault(input.domain);
  if (fault) throw new ValidationError({ domain: [fault] });
  return addSendingDomain(input.team_id, input.domain, by, input.mail_from_subdomain);
}

/** Asks SES for the status of a team's domain and stores it. */
export async function verifyDomain({ team_id, domain }: { team_id: number; domain: string }, by: Actor) {
  const found = await domains.find(team_id, domain);
  if (!found) throw new NotFound(`domain of this team: ${domain}`);
  return showSendingDomain(team_id, found, by);
}

/** Releases a campaign that screening held: it is sent; throws 422 when it is not held. */
export async function releaseCampaign(input: { team_id: number; campaign_id: number }, by: Actor) {
  const campaign = await campaignIn('held', input);
  const row = moveRow(input.team_id, campaign, by, { move: 'release' });
  const released = await rerun(input.team_id, campaign, { cause: 'release' }, { failure_reason: null }, [row]);
  if (!released) throw changedMeanwhile();
  return { ...input, status: moves.release.to };
}

/** Refuses a campaign that screening held: it is cancelled, with the reason; throws 422 when it is not held. */
export async function refuseCampaign(
  { reason, ...ids }: { team_id: number; campaign_id: number; reason?: string },
  by: Actor,
) {
  const campaign = await campaignIn('held', ids);
  const failure_reason = reason ? `refused in review: ${reason}` : 'refused in review';
  const row = moveRow(ids.team_id, campaign, by, { move: 'refuse' });
  const refused = await writeWithEvent(ids.team_id, ids.campaign_id, 'cancelled', (outbox) =>
    campaigns.move(ids.team_id, ids.campaign_id, 'refuse', { failure_reason }, {}, [jobWrite(outbox), row]),
  );
  if (!refused) throw changedMeanwhile();
  return { ...ids, status: refused.status, reason: failure_reason };
}

/** Resumes a paused campaign; throws 422 when it is not paused or its team is suspended. */
export async function resumeCampaign(input: { team_id: number; campaign_id: number }, by: Actor) {
  const campaign = await campaignIn('paused', input);
  const { suspended_at } = await existingTeam(input.team_id);
  if (suspended_at) throw new NotApplicable(`Team ${input.team_id} is suspended.`);
  if (!(await resume(input.team_id, campaign, by))) throw changedMeanwhile();
  return { ...input, status: moves.resume.to };
}

async function campaignIn(
  status: 'held' | 'paused',
  input: { team_id: number; campaign_id: number },
): Promise<campaigns.CampaignItem> {
  const campaign = await campaigns.find(input.team_id, input.campaign_id);
  if (!campaign) throw new NotFound(`campaign of this team: ${input.campaign_id}`);
  if (campaign.status !== status)
    throw new NotApplicable(`Campaign ${campaign.id} is ${campaign.status}, not ${status}.`);
  return campaign;
}

const changedMeanwhile = () => new NotApplicable('The campaign was changed at the same moment.');

/** Makes a new key sign links, once every function knows it; what earlier keys have signed stays valid for a time. */
export async function rotateSigningKey(_input: object, by: Actor) {
  return addSigningKey(auditWrite(platformLog, by, 'signing_key.rotated', 'links'));
}

/** A redrive stops after this long, well before the function's time is up. */
const redriveMs = 40_000;

/** Moves the messages of a dead-letter queue back to its queue; throws 422 when there is no such queue. */
export async function redriveQueue({ queue }: { queue: string }, by: Actor) {
  const { redrives } = config;
  const named = Object.hasOwn(redrives, queue) ? redrives[queue] : undefined;
  if (!named) throw new ValidationError({ queue: [`no such queue; there are: ${Object.keys(redrives).join(', ')}`] });
  await record(auditWrite(platformLog, by, 'queue.redriven', queue));
  return { queue, moved: await redrive(named, Date.now() + redriveMs) };
}
