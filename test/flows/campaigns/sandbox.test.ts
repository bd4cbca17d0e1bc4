import { expect, inject, it } from 'vitest';
import { idle, readyCampaign, rows } from '../../support/campaign.ts';
import { enrol, newContacts, newSequence, newStep, stepsSent, subscribersOf } from '../../support/sequence.ts';
import { rawTable } from '../../support/table.ts';
import { newTeam } from '../../support/team.ts';

it('a team in sandbox sends no campaign and no sequence, and tests to verified addresses only', async () => {
  const team = await newTeam({ sandbox: true });
  const { campaign } = await readyCampaign(team, rows(1, team.domain));
  const sequence = await newSequence(team, [newStep('One')], { status: 'draft' });
  const path = `/campaigns/${campaign}`;
  expect((await team.data('POST', `${path}/preflight`)).blockers).toEqual(['sandboxed']);
  const verified = `somebody@${team.domain}`;
  const refused = await Promise.all([
    team.api('POST', `${path}/send`),
    team.api('POST', `${path}/schedule`, { send_at: '2030-01-01T00:00:00Z' }),
    team.api('POST', `${path}/test`, { emails: [verified, 'somebody@elsewhere.example'] }),
    team.api('PATCH', `/sequences/${sequence}`, { status: 'active' }),
  ]);
  for (const { status, body } of refused) expect([status, body.blockers]).toEqual([422, ['sandboxed']]);
  const tested = await team.data('POST', `${path}/test`, { emails: [verified] });
  expect(tested).toEqual({ sent: [verified], failed: [] });
});

it('steps of a team that was put into sandbox wait', async () => {
  const team = await newTeam();
  const sequence = await newSequence(team, [newStep('One')]);
  await newContacts(team, ['waiting@example.com']);
  const table = await rawTable(inject('folder'));
  const item = (await table.partition(`TEAM#${team.id}`)).find(({ sk }) => sk === 'TEAM')!;
  await table.write([{ ...item, sandbox: true }]);
  await enrol(team, sequence, ['waiting@example.com']);
  await idle(inject('origin'), team);
  expect((await subscribersOf(team, sequence)).get('waiting@example.com')).toMatchObject({ status: 'active' });
  expect(await stepsSent(team, sequence, inject('origin'))).toEqual([]);
});
