import { describe, expect, it } from 'vitest';
import { rows } from '../../support/campaign.ts';
import { control, newTeam } from '../../support/team.ts';
import { advance, attemptsOf, subscribe, until } from '../../support/webhooks.ts';
import { attempts, receiver, stack, team, test } from './receivers.setup.ts';

it('an endpoint that hangs holds at most ten attempts, and delays no other endpoint', async () => {
  const own = await newTeam({ origin: stack.origin });
  let open = 0;
  let most = 0;
  receiver.behave('/dead', (_request, response) => {
    most = Math.max(most, ++open);
    response.on('close', () => open--);
  });
  const dead = await subscribe(own, `${receiver.url}/dead`);
  await subscribe(own, `${receiver.url}/alive`);
  await own.api('POST', '/contacts/bulk', { contacts: rows(120) });
  await until(() => receiver.to('/alive').length === 120);
  expect(new Set(receiver.to('/alive').map(({ body }) => body.data.email)).size).toBe(120);
  expect(most).toBeLessThanOrEqual(10);
  await own.api('DELETE', `/webhooks/${dead.id}`);
});

describe('a delivery is not lost', () => {
  it('where the workflow could not be started', async () => {
    receiver.behave('/unstarted', (_request, response) =>
      response.writeHead(receiver.to('/unstarted').length < 2 ? 500 : 200).end(),
    );
    const { id } = await subscribe(team, `${receiver.url}/unstarted`);
    await control(
      'POST',
      '/faults',
      { service: 'states', operation: 'StartExecution', error: 'ServiceUnavailable', rate: 1 },
      stack.origin,
    );
    await test(id);
    await until(async () => (await attempts(id)) === 1);
    await advance(stack.origin, 60);
    expect(await attempts(id)).toBe(1);
    await control('DELETE', '/faults', undefined, stack.origin);
    await advance(stack.origin, 600);
    await until(async () => (await attempts(id)) === 2);
    expect((await attemptsOf(team, id))[0]).toMatchObject({ attempt: 2, succeeded: true });
  });
});
