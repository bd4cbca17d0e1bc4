import { expect, it } from 'vitest';
import * as platformSuppressions from '../../../shared/data/contacts/platform-suppressions.ts';
import * as suppressions from '../../../shared/data/contacts/suppressions.ts';
import * as table from '../../../shared/data/table.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

it.each([0, 3, 199, 200, 260])('finds the reasons of 300 addresses among %i suppressions', async (count) => {
  const { id: teamId } = await newTeam();
  const emails = Array.from({ length: 300 }, (_, at) => `reason${at}@example.com`);
  const suppressed = emails.toReversed().slice(0, count);
  const rows = suppressed.map((email) => ({ pk: `TEAM#${teamId}#SUPPRESSION`, sk: email, email, reason: 'manual' }));
  await table.batchPut(rows);
  const expected = emails.map((email) => (suppressed.includes(email) ? 'manual' : undefined));
  expect(await suppressions.reasons(teamId, emails)).toEqual(expected);
  expect(await suppressions.reasons(teamId, emails.slice(-5))).toEqual(expected.slice(-5));
});

it.each([0, 3, 199, 200, 260])(
  'finds who of a page is suppressed, also for all teams, among %i between them',
  async (count) => {
    const { id: teamId } = await newTeam();
    const between = Array.from({ length: count }, (_, at) => `p${String(at).padStart(3, '0')}-${teamId}@example.com`);
    const page = ['own', 'both', 'platform', 'none', 'other'].map((name) => `${name}-${teamId}@example.com`);
    const [own, both, platform] = page as [string, string, string];
    const rows = [...between, own, both].map((email) => ({
      pk: `TEAM#${teamId}#SUPPRESSION`,
      sk: email,
      email,
      reason: 'manual',
    }));
    await table.batchPut(rows);
    for (const email of [both, platform]) await platformSuppressions.add(email, 'hard_bounce');
    const found = await suppressions.batch(teamId, [...page, `zz-${teamId}@example.com`]);
    const everywhere = { reason: 'hard_bounce', level: 'platform' };
    expect(Object.fromEntries(found)).toEqual({
      [own]: { reason: 'manual', level: 'team' },
      [both]: everywhere,
      [platform]: everywhere,
    });
  },
);
