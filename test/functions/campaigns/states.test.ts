import { describe, expect, it } from 'vitest';
import { campaignStatuses, moves } from '../../../shared/domain/campaigns/status.ts';
import { newTeam } from '../../support/team.ts';
import { actions, drive, stack } from './states.setup.ts';

describe.each(campaignStatuses)('a campaign that is %s', (state) => {
  const names = Object.keys(actions);
  const refused = names.filter((name) => actions[name]!.allowed[state] === undefined);

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
});

it('these actions make only moves in the table of moves', () => {
  const ways = Object.values(moves).flatMap(({ from, to }) => from.map((state) => `${state} → ${to}`));
  for (const { allowed } of Object.values(actions))
    for (const [from, to] of Object.entries(allowed))
      if (to !== 'gone' && to !== from) expect(ways).toContain(`${from} → ${to}`);
});
