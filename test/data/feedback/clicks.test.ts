import { expect, it } from 'vitest';
import * as clicks from '../../../shared/data/events/clicks.ts';
import { keys } from '../../../shared/data/keys.ts';
import * as table from '../../../shared/data/table.ts';
import { timestamp } from '../../../shared/domain/time.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

it('reads the first clicks of a program that clicks without end, and those from around one on', async () => {
  const { id: teamId } = await newTeam();
  const [who, campaign, start] = ['program@example.com', 3, Date.now() - 3_600_000];
  const made = Array.from({ length: 1_200 }, (_, id) => {
    const at = timestamp(start + id * 1_000);
    return { ...keys.click(teamId, campaign, who, at, id), who, at, id, link: 'a', contact_id: null };
  });
  await table.batchPut(made);
  const near = async (id: number) => {
    const { found, all } = await clicks.near(teamId, campaign, who, made[id]!.at);
    expect(all).toBe(false);
    return found.map((click) => click.id);
  };
  const ids = [...made.keys()];
  expect(await near(900)).toEqual([...ids.slice(0, 500), ...ids.slice(898)]);
  expect(await near(499)).toEqual(ids.slice(0, 997));
  expect(await clicks.of(teamId, campaign, who)).toHaveLength(1_200);
});
