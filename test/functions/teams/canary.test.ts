import { expect, inject, it } from 'vitest';
import { operate } from '../../support/operate.ts';
import { rawTable } from '../../support/table.ts';
import { newTeam } from '../../support/team.ts';

const folder = inject('folder');
const set = (team_id: number, from_email: string) => operate(folder, 'canary set', { team_id, from_email });

it('sends from a verified domain of its team alone', async () => {
  const { id } = await newTeam();
  const { error } = await set(id, 'canary@somebody-else.example');
  expect(error.message).toBe(`somebody-else.example is not a verified domain of team ${id}.`);
});

it('has a key that sends messages and reads their events, until another one is set', async () => {
  const team = await newTeam();
  const from = `canary@${team.domain}`;
  expect(await set(team.id, from)).toEqual({ team_id: team.id, from_email: from });
  const stored = async () => (await (await rawTable(folder)).partition('PLATFORM#CANARY'))[0]!;
  const canary = team.withKey(String((await stored()).api_key));
  const message = {
    to: 'success+1@simulator.amazonses.com',
    from_email: from,
    subject: 'Canary',
    html: '<p>Canary</p>',
  };
  expect((await canary.api('POST', '/send', message)).body.data).toMatchObject({ status: 'sent', delivered: true });
  expect((await canary.api('GET', '/events')).status).toBe(200);
  expect((await canary.api('GET', '/contacts')).status).toBe(403);
  await set(team.id, from);
  const { rows } = await operate(folder, 'audit list', { team_id: team.id });
  const changes = rows.map(({ action }: { action: string }) => action);
  // Rows of one second come in any order.
  expect(changes.slice(0, 3).sort()).toEqual(['api_key.created', 'api_key.created', 'api_key.revoked']);
  expect((await canary.api('GET', '/events')).status).toBe(401);
  expect((await team.withKey(String((await stored()).api_key)).api('GET', '/events')).status).toBe(200);
});
