import { describe, expect, it } from 'vitest';
import { idle } from '../../support/campaign.ts';
import { document, faults } from '../../support/document.ts';
import { newTeam } from '../../support/team.ts';
import { endpointOf, sendTest, until } from '../../support/webhooks.ts';
import { forward, moved, place, receiver, stack, team } from './webhooks.setup.ts';

it('a team is told of a key that expires, once, seven days before', async () => {
  const owner = await newTeam({ origin: stack.origin });
  const { got } = await place(['*'], owner);
  const day = 86_400;
  const mint = (days: number) => {
    const expires_at = new Date(Date.now() + (moved + days * day) * 1_000).toISOString();
    return owner.data('POST', '/api-keys', { name: `${days} days`, expires_at });
  };
  const [expiring, revoked] = [await mint(10), await mint(10), await mint(6)];
  await owner.data('DELETE', `/api-keys/${revoked.id}`);
  await forward(2.9 * day);
  await idle(stack.origin);
  expect(got()).toEqual([]);
  await forward(0.2 * day);
  await until(() => got().length > 0);
  await forward(8 * day);
  await idle(stack.origin);
  expect(got().map(({ body }) => [body.type, body.data.id])).toEqual([['api_key.expiring', expiring.id]]);
  const { body } = got()[0]!;
  const { schema } = document.webhooks[body.type].post.requestBody.content['application/json'];
  expect(faults(schema, body)).toEqual([]);
  expect(body.data).toMatchObject({ name: '10 days', expires_at: expiring.expires_at, revoked_at: null });
  expect(JSON.stringify(body)).not.toContain(expiring.key);
  expect((await owner.withKey(expiring.key).api('GET', '/me')).status).toBe(401);
});

describe('an endpoint', () => {
  it('is switched off after 30 failed deliveries in a row, and starts without failures when switched on', async () => {
    const { id, path, got } = await place();
    await sendTest(stack.origin, team, id);
    receiver.behave(path, (_request, response) => response.writeHead(500).end());
    const fail = async (count: number) => {
      const seen = got().length;
      for (let index = 0; index < count; index++) await team.api('POST', `/webhooks/${id}/test`);
      await until(() => got().length >= seen + count);
      await forward(110_000);
      await until(() => got().length === seen + 8 * count);
      await idle(stack.origin);
    };
    await fail(29);
    expect(await endpointOf(team, id)).toMatchObject({ is_active: true, consecutive_failures: 29 * 8 });
    await fail(1);
    expect(await endpointOf(team, id)).toMatchObject({ is_active: false });
    const { body } = await team.api('PATCH', `/webhooks/${id}`, { is_active: true });
    expect(body.data).toMatchObject({ is_active: true, consecutive_failures: 0 });
    await fail(1);
    expect(await endpointOf(team, id)).toMatchObject({ is_active: true, consecutive_failures: 8 });
  });
});
