import { expect, it } from 'vitest';
import * as imports from '../../../shared/data/campaigns/audience-imports.ts';
import * as rows from '../../../shared/data/campaigns/audience-rows.ts';
import * as campaigns from '../../../shared/data/campaigns/campaigns.ts';
import { concurrently } from '../../../shared/domain/concurrently.ts';
import { importAudience } from '../../../shared/flows/campaigns/import-audience.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';
import { warehouseCampaign } from '../../support/warehouse.ts';

useSharedTable();

const runs = 1_100;

it('an import of more runs than are read at once is merged in passes, with the last row of each address', async () => {
  const team = await newTeam();
  const id = await warehouseCampaign(team);
  const address = (number: number) => `p${String(number).padStart(4, '0')}@passes.example`;
  // Each run has an address of its own, and one that two others have.
  const run = Array.from({ length: runs }, (_, at) => at * 10_000);
  const numbers = (at: number) => [...new Set([at, (at * 7) % runs, (at * 11) % runs])].sort((a, b) => a - b);
  await concurrently(run, 16, (first, at) => {
    const people = numbers(at).map((number) => ({ email: address(number), first_name: `run ${at}`, metadata: {} }));
    return rows.put(team.id, id, rows.runFrom(first), people);
  });
  const source = { bucket: 'b', prefix: 'p', format: 'csv', columns: { email: 'email' } } as const;
  const begun = (await imports.begin(team.id, id, source as never, [], undefined))!;
  await imports.move(team.id, id, begun, { status: 'counting', runs: run, rows: runs * 3 });

  const campaign = (await campaigns.find(team.id, id))!;
  const left: number[] = [];
  for (let step = 0; step < 10; step++) {
    await importAudience(team.id, campaign, 0);
    const item = (await imports.find(team.id, id))!;
    left.push(item.runs!.length);
    if (item.status === 'imported') break;
  }
  expect(left).toEqual([601, 500, 500]);
  const item = (await imports.find(team.id, id))!;
  expect(item).toMatchObject({ status: 'imported', accepted: runs });
  const last = new Map(run.flatMap((_, at) => numbers(at).map((number) => [address(number), `run ${at}`])));
  const merged = [];
  for await (const batch of rows.people(team.id, id, rows.mergedRun(item), {})) merged.push(...batch);
  expect(merged.map(({ email, first_name }) => [email, first_name])).toEqual([...last].sort());
});
