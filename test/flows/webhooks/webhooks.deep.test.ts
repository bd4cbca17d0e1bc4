import { describe, expect, it } from 'vitest';
import { idle } from '../../support/campaign.ts';
import { endpointOf, sendTest, until } from '../../support/webhooks.ts';
import { forward, place, receiver, stack, team } from './webhooks.setup.ts';

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
