import { expect, it } from 'vitest';
import * as rows from '../../../shared/data/campaigns/audience-rows.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

it('an erasure finds the address in every run, also where chunks overlap after a crash', async () => {
  const { id: teamId } = await newTeam();
  const people = Array.from({ length: 250 }, (_, at) => ({
    email: `p${String(at).padStart(3, '0')}@rows.example`,
    first_name: null,
    metadata: {},
  }));
  const { email } = people[50]!;
  const runs = [0, 10_000].map(rows.runFrom).concat(rows.mergedRun({ first_row: 0 }));
  for (const run of runs) {
    await rows.put(teamId, 1, run, people as never);
    // As by a worker that wrote the rest again, when the first address had been erased.
    await rows.put(teamId, 1, run, people.slice(1) as never);
  }
  await rows.erase(teamId, 1, email);
  await rows.erase(teamId, 1, people[0]!.email);
  for (const run of runs) {
    const found: string[] = [];
    for await (const batch of rows.people(teamId, 1, run, {})) found.push(...batch.map((one) => one.email));
    expect(found).toEqual(people.filter((_, at) => at !== 0 && at !== 50).map((one) => one.email));
  }
});
