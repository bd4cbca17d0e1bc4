import { describe, expect, it } from 'vitest';
import { campaignStatuses, moves } from '../../../shared/domain/campaigns/status.ts';
import { newTeam } from '../../support/team.ts';
import { actions, drive, later, stack } from './states.setup.ts';

describe.each(campaignStatuses)('a campaign that is %s', (state) => {
  const names = Object.keys(actions);
  const refused = names.filter((name) => actions[name]!.allowed[state] === undefined);
  const allowed = names.filter((name) => actions[name]!.allowed[state] !== undefined);

  it(`refuses ${refused.join(', ')} and stays as it is`, async () => {
    const team = await newTeam({ origin: stack.origin });
    const id = await drive[state](team);
    const before = await team.data('GET', `/campaigns/${id}`);
    expect(before.status).toBe(state);
    for (const name of refused) {
      const { code } = await actions[name]!.act(team, id);
      expect([name, code]).toEqual([name, 'not_applicable']);
    }
    expect(await team.data('GET', `/campaigns/${id}`)).toEqual(before);
  });

  it.each(allowed.map((name) => [name, actions[name]!.allowed[state]!]))('becomes by %s: %s', async (name, becomes) => {
    const team = await newTeam({ origin: stack.origin });
    const id = await drive[state](team);
    const answer = await actions[name]!.act(team, id);
    expect(answer.code).toBeUndefined();
    if (answer.status !== undefined) expect(answer.status).toBe(becomes);
    const { status, body } = await team.api('GET', `/campaigns/${id}`);
    expect(status).toBe(becomes === 'gone' ? 404 : 200);
    // The workflow may have moved it on by now.
    if (becomes !== 'gone' && becomes !== 'screening' && becomes !== 'queuing') expect(body.data.status).toBe(becomes);
    if (name === 'schedule') expect(body.data.scheduled_at).toBe(later);
    if (name.endsWith('variants')) expect(body.data.ab_test).toMatchObject({ enabled: true, percentage: 20 });
    if (state === 'held' && becomes === 'draft')
      expect(body.data).toMatchObject({ failure_reason: null, scheduled_at: null });
  });
});

it('these actions make only moves in the table of moves', () => {
  const ways = Object.values(moves).flatMap(({ from, to }) => from.map((state) => `${state} → ${to}`));
  for (const { allowed } of Object.values(actions))
    for (const [from, to] of Object.entries(allowed))
      if (to !== 'gone' && to !== from) expect(ways).toContain(`${from} → ${to}`);
});
