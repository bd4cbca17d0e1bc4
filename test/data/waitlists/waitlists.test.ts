import { expect, it } from 'vitest';
import * as waitlists from '../../../shared/data/waitlists/waitlists.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

it('reads again when what it read shows one signup in two places, which no transaction can write', async () => {
  const { id: teamId, data } = await newTeam();
  const { id } = await data('POST', '/waitlists', { name: 'Moving' });
  const write = { Put: { Item: { pk: `TEST#${teamId}`, sk: 'signup' } } };
  const decisions = [[write, write], [write]];
  const written = await waitlists.change(teamId, id, async () => {
    const writes = decisions.shift()!;
    return { result: writes.length, fields: { pending_count: 1 }, writes };
  });
  expect(written).toBe(1);
});
