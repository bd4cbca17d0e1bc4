import { expect, inject, it } from 'vitest';
import * as engagement from '../../../shared/data/events/engagement.ts';
import type { EventItem } from '../../../shared/data/events/rows.ts';
import { uncountOpens } from '../../../shared/flows/feedback/take-back-opens.ts';
import { useSharedTable } from '../../support/data.ts';
import { opens, rawTable } from '../../support/table.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

it.each([
  ['takes an open back for the next one of a person', 100, 'next'],
  ['leaves an open where more events follow than a search passes', 5_100, 'same'],
] as const)('%s', async (_name, events, outcome) => {
  const { id: teamId } = await newTeam();
  const [campaign_id, email] = [3, 'busy@example.com'];
  const rows = opens(teamId, { email, contact_id: 1 }, events).map((row) => ({ ...row, campaign_id }));
  const [early, last] = [rows[0], rows.at(-1)] as unknown as EventItem[];
  // A program's clicks are between the open that came too soon and the person's.
  const stored = rows.map((row) =>
    [early, last].some((open) => open === (row as unknown)) ? row : { ...row, event: 'clicked' },
  );
  await (await rawTable(inject('folder'))).write(stored);
  await engagement.note(teamId, campaign_id, { email, contact_id: 1 }, 'opened_at', early!.created_at);
  const change = await uncountOpens(teamId, [{ ...early!, is_machine_open: true }], undefined, undefined);
  expect(change).toBe(0);
  const noted = (await engagement.find(teamId, campaign_id, email))?.opened_at;
  expect(noted).toBe((outcome === 'next' ? last : early)!.created_at);
});
