import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as identities from '../../../shared/aws/identities.ts';
import { keys } from '../../../shared/data/keys.ts';
import * as table from '../../../shared/data/table.ts';
import { othersAround } from '../../../shared/data/teams/domain-tree.ts';
import * as domains from '../../../shared/data/teams/sending-domains.ts';
import { systemActor } from '../../../shared/domain/actor.ts';
import { removeSendingDomain } from '../../../shared/flows/teams/remove-domain.ts';
import { everyRow } from '../../support/campaign.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';
import { useSesGate } from './ses-gate.ts';

useSharedTable();
const ses = useSesGate();
beforeAll(() => void vi.stubEnv('STAGE', 'dev'));
afterAll(() => void vi.unstubAllEnvs());

it('a removal that is repeated leaves the identity of the team that has added the domain since', async () => {
  const [first, next] = [await newTeam(), await newTeam()];
  const domain = `passed-on-${next.id}.example`;
  await first.data('POST', '/sending-domains', { domain });
  await removeSendingDomain(first.id, domain, systemActor());
  await next.data('POST', '/sending-domains', { domain });
  await removeSendingDomain(first.id, domain, systemActor());
  expect((await identities.findIdentity(domain, 'patiently'))?.tags['mailwright:team']).toBe(String(next.id));
});

it('while a domain is being removed nobody else removes or claims it: the next owner keeps its identity', async () => {
  const [first, next] = [await newTeam(), await newTeam()];
  const domain = `twice-${next.id}.example`;
  await first.data('POST', '/sending-domains', { domain });
  const { reached, release } = ses.holdDeletion(domain);
  const slow = removeSendingDomain(first.id, domain, systemActor());
  await reached;
  await expect(removeSendingDomain(first.id, domain, systemActor())).rejects.toMatchObject({ status: 503 });
  expect((await next.api('POST', '/sending-domains', { domain })).status).toBe(422);
  release();
  await slow;
  await next.data('POST', '/sending-domains', { domain });
  expect((await identities.findIdentity(domain, 'patiently'))?.tags['mailwright:team']).toBe(String(next.id));
});

it('a removal goes on after one that ended half-way, once that can no longer reach SES', async () => {
  const team = await newTeam();
  const domain = `half-way-${team.id}.example`;
  await team.data('POST', '/sending-domains', { domain });
  const by = systemActor();
  expect(await domains.markRemoval(team.id, domain, by)).toBe(true);
  expect(await domains.markRemoval(team.id, domain, systemActor())).toBe(false);
  expect(await domains.markRemoval(team.id, domain, by)).toBe(true);
  await domains.release(team.id, domain, systemActor());
  expect(await domains.isOwner(team.id, domain)).toBe(true);
  const past = { ':past': '2026-01-01T00:00:00.000Z' };
  const Key = keys.domainOwner(domain);
  await table.update({ Key, UpdateExpression: 'SET removal_until = :past', ExpressionAttributeValues: past });
  await removeSendingDomain(team.id, domain, systemActor());
  expect(await domains.isOwner(team.id, domain)).toBe(false);
  expect(await identities.findIdentity(domain, 'patiently')).toBeUndefined();
});

it('a proof that comes after another team has claimed the domain fails, and leaves that team its place', async () => {
  const [first, next, third] = [await newTeam(), await newTeam(), await newTeam()];
  const domain = `late-${next.id}.example`;
  const before = (await domains.claim(first.id, domain, systemActor()))!;
  await domains.release(first.id, domain, systemActor());
  expect(await domains.prove(next.id, (await domains.claim(next.id, domain, systemActor()))!)).toBe(true);
  expect(await domains.prove(first.id, before)).toBe(false);
  expect(await othersAround(third.id, `shop.${domain}`)).toBe(true);
});

it('a place in the tree that an interrupted proof has left goes to the next owner, and with the domain', async () => {
  const [first, next, third] = [await newTeam(), await newTeam(), await newTeam()];
  const domain = `left-${next.id}.example`;
  await table.put({ Item: { ...keys.domainPlace(domain), team_id: first.id } });
  const item = (await domains.claim(next.id, domain, systemActor()))!;
  expect(await domains.prove(next.id, item)).toBe(true);
  await domains.release(next.id, domain, systemActor());
  expect(await othersAround(third.id, `shop.${domain}`)).toBe(false);
});

it('an identity that was made for the team before is made anew for the one that has claimed the domain', async () => {
  const [first, next] = [await newTeam(), await newTeam()];
  const domain = `overtaken-${next.id}.example`;
  await identities.createIdentity(first.id, domain);
  await next.data('POST', '/sending-domains', { domain });
  expect((await identities.findIdentity(domain, 'patiently'))?.tags['mailwright:team']).toBe(String(next.id));
});

it('a request that runs again claims, and withdraws, what it has claimed and withdrawn before', async () => {
  const [team, by] = [await newTeam(), systemActor()];
  const domain = `again-${team.id}.example`;
  for (const _ of [1, 2]) {
    const item = (await domains.claim(team.id, domain, by))!;
    expect(item.domain).toBe(domain);
    expect((await domains.claim(team.id, domain, by))!.claim).toBe(item.claim);
    await domains.withdraw(team.id, item, by);
    expect(await domains.find(team.id, domain)).toBeUndefined();
  }
  const rows = (await everyRow(team, '/audit-log')).filter(({ target }) => target.id === domain);
  const actions = rows.map(({ action }) => action).sort();
  const [added, removed] = ['sending_domain.added', 'sending_domain.removed'];
  expect(actions).toEqual([added, added, removed, removed]);
});
