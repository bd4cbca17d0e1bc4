import { describe, expect, it } from 'vitest';
import * as due from '../../../shared/data/due-jobs.ts';
import { keys } from '../../../shared/data/keys.ts';
import * as table from '../../../shared/data/table.ts';
import * as apiKeys from '../../../shared/data/teams/api-keys.ts';
import { activeKeys } from '../../../shared/data/teams/key-registry.ts';
import { systemActor } from '../../../shared/domain/actor.ts';
import { timestamp } from '../../../shared/domain/time.ts';
import { runJob } from '../../../shared/flows/run-job.ts';
import { useSharedTable } from '../../support/data.ts';
import { keyWith, newTeam } from '../../support/team.ts';
import { idOf, mintedBy, revoke, works } from './key-families.setup.ts';

useSharedTable();

describe('a key without every scope', () => {
  it('revokes no other key', async () => {
    const team = await newTeam();
    const [scopeless, writer] = [await keyWith(team, []), await keyWith(team, ['contacts:write'])];
    for (const key of [scopeless, writer])
      for (const other of [team, key === writer ? scopeless : writer])
        for (const query of ['', '?cascade=true'])
          expect(await revoke(key, await idOf(other), query)).toEqual([403, 'missing_scope']);
    expect(await works(team, scopeless, writer)).toEqual([true, true, true]);
  });

  it('revokes itself, what it minted and what these did, and nothing above it', async () => {
    const team = await newTeam();
    const root = await keyWith(team, ['contacts:read']);
    const child = await mintedBy(root);
    const grandchild = await mintedBy(child);
    const sibling = await mintedBy(root);
    expect(await revoke(child, await idOf(root))).toEqual([403, 'missing_scope']);
    expect(await revoke(child, sibling.keyId)).toEqual([403, 'missing_scope']);
    expect(await revoke(root, grandchild.keyId)).toEqual([200, undefined]);
    expect(await works(root, child, grandchild, sibling)).toEqual([true, true, false, true]);
    const own = await idOf(root);
    expect(await revoke(root, own)).toEqual([200, undefined]);
    expect(await works(root, child, sibling)).toEqual([false, true, true]);
  });
});

describe('a revocation with cascade', () => {
  it('revokes all descendants, those of a key that was revoked before too, and no others', async () => {
    const team = await newTeam();
    const root = await keyWith(team, ['contacts:read']);
    const child = await mintedBy(root);
    const grandchildren = [await mintedBy(child), await mintedBy(child)];
    const other = await mintedBy(team);
    expect(await revoke(team, child.keyId)).toEqual([200, undefined]);
    expect(await works(root, child, ...grandchildren)).toEqual([true, false, true, true]);
    expect(await revoke(team, child.keyId, '?cascade=yes')).toEqual([422, 'validation_error']);
    expect(await revoke(team, child.keyId, '?cascade=true')).toEqual([200, undefined]);
    expect(await works(root, ...grandchildren, other)).toEqual([true, false, false, true]);
  });

  it('leaves no key that is minted at the same moment', async () => {
    const team = await newTeam();
    const root = await mintedBy(team);
    const child = await mintedBy(root);
    const mints = [root, child].flatMap((by) =>
      Array.from({ length: 6 }, () => by.api('POST', '/api-keys', { name: 'Late' })),
    );
    const [revoked, ...answers] = await Promise.all([revoke(team, root.keyId, '?cascade=true'), ...mints]);
    expect(revoked).toEqual([200, undefined]);
    for (const { status } of answers) expect([200, 401]).toContain(status);
    const late = answers.flatMap(({ body }) => (body.data ? [team.withKey(body.data.key)] : []));
    expect(await works(root, child, ...late)).toEqual([root, child, ...late].map(() => false));
  });

  it('is completed by its job after a crash', async () => {
    const team = await newTeam();
    const root = await mintedBy(team);
    const child = await mintedBy(root);
    await apiKeys.revoke(team.id, (await apiKeys.find(team.id, root.keyId))!, systemActor());
    const job = await due.schedule({ kind: 'revoke', team_id: team.id, key_id: root.keyId });
    await runJob(job, Date.now() + 10_000);
    expect(await works(team, child)).toEqual([true, false]);
  });
});

describe('a key that another one mints', () => {
  const soon = '2098-01-01T00:00:00.000+00:00';

  it('expires no later than it', async () => {
    const team = await newTeam();
    const parent = await mintedBy(team, { expires_at: soon });
    const expiry = async (given: object) => (await parent.api('POST', '/api-keys', { name: 'Child', ...given })).body;
    expect((await expiry({})).data.expires_at).toBe(soon);
    expect((await expiry({ expires_at: null })).data.expires_at).toBe(soon);
    expect((await expiry({ expires_at: '2097-06-01T00:00:00Z' })).data.expires_at).toMatch(/^2097-06-01/);
    const { code, errors } = await expiry({ expires_at: '2098-01-01T00:00:01Z' });
    expect([code, Object.keys(errors)]).toEqual(['validation_error', ['expires_at']]);
  });

  it('stops working when it has expired', async () => {
    const team = await newTeam();
    const parent = await mintedBy(team, { expires_at: '2098-01-01T00:00:00Z' });
    const child = await mintedBy(parent);
    expect(await works(parent, child)).toEqual([true, true]);
    // As if that time had come: others use the clock of the shared stack, too.
    for (const { keyId } of [parent, child]) {
      const { pk, sk } = (await apiKeys.find(team.id, keyId))!;
      const past = { UpdateExpression: 'SET expires_at = :past', ExpressionAttributeValues: { ':past': timestamp(0) } };
      await table.update({ Key: { pk, sk }, ...past });
    }
    expect(await works(parent, child)).toEqual([false, false]);
  });
});

it('keys that an earlier version has stored count as active, and may mint', async () => {
  const team = await newTeam();
  const child = await mintedBy(team);
  await table.remove({ Key: keys.apiKeyRegistry(team.id) });
  const later = await mintedBy(child);
  expect((await activeKeys(team.id)).map(({ id }) => id).sort()).toEqual([await idOf(team), child.keyId, later.keyId]);
});
