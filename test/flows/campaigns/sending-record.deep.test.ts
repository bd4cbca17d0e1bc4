import { expect, inject, it } from 'vitest';
import * as log from '../../../shared/data/campaigns/send-log.ts';
import { padId } from '../../../shared/data/keys.ts';
import { largestSend, noteSend, weekOf } from '../../../shared/flows/campaigns/sending-record.ts';
import { recount } from '../../../shared/flows/feedback/recount.ts';
import { useSharedTable } from '../../support/data.ts';
import { type Row, rawTable } from '../../support/table.ts';
import { newTeam, type Team } from '../../support/team.ts';

useSharedTable();

const day = 86_400_000;
const daysAgo = (days: number) => new Date(Date.now() - days * day).toISOString().replace('Z', '+00:00');
const write = async (rows: readonly Row[]) => (await rawTable(inject('folder'))).write(rows);

/** The rows of a campaign as they were stored before there was a log of sends. */
function stored(
  team: Team,
  id: number,
  frozen_at: string | undefined,
  { sent, bounced = 0, complained = 0 }: { sent: number; bounced?: number; complained?: number },
  kind: 'campaign' | 'deleted' | 'sending' = 'campaign',
): Row[] {
  const own = `TEAM#${team.id}#CAMPAIGN#${id}`;
  const final = { final: { sent, failed: 0 }, updated_at: frozen_at };
  return [
    kind === 'deleted'
      ? { pk: `TEAM#${team.id}#DELETED_CAMPAIGNS`, sk: padId(id), id, frozen_at, ended_at: frozen_at }
      : {
          ...{ pk: `TEAM#${team.id}#CAMPAIGNS`, sk: padId(id), id, name: 'Old' },
          ...{ status: frozen_at ? (kind === 'sending' ? 'sending' : 'sent') : 'draft', frozen_at },
          ...(frozen_at && kind === 'campaign' && final),
        },
    ...(frozen_at
      ? [
          { pk: own, sk: 'STATS#0', sent: sent - 1, failed: 0, suppressed: 0, unknown_count: 0 },
          { pk: own, sk: 'STATS#3', sent: 1, failed: 0, suppressed: 0, unknown_count: 0 },
          { pk: own, sk: 'FEEDBACK', bounced, complained, version: 1 },
        ]
      : []),
  ];
}

/** The largest send, by steps that each have no time left; how many steps it took. */
async function inSteps(team: Team): Promise<{ largest: number; steps: number }> {
  for (let steps = 1; ; steps++) {
    const [largest] = await Promise.all([largestSend(team.id, 0), largestSend(team.id, 0)]);
    if (largest !== undefined) return { largest, steps };
  }
}

it("a team's sends from before there was a log count for its week and as its largest, deleted or not", async () => {
  const team = await newTeam();
  await write([
    ...stored(team, 1, daysAgo(700), { sent: 9_000, bounced: 900 }, 'deleted'),
    ...stored(team, 2, daysAgo(8), { sent: 500, bounced: 100 }),
    ...stored(team, 3, undefined, { sent: 0 }),
    ...stored(team, 4, daysAgo(6), { sent: 100, bounced: 9, complained: 1 }),
    ...stored(team, 5, daysAgo(3), { sent: 200, bounced: 20 }, 'deleted'),
    ...stored(team, 6, daysAgo(1), { sent: 50, complained: 2 }, 'sending'),
  ]);
  const week = { sent: 350, bounced: 29, complained: 3 };
  expect(await weekOf(team.id)).toEqual(week);
  expect(await weekOf(team.id)).toEqual(week);
  expect(await largestSend(team.id, 0)).toBe(9_000);
});

it('a team with many campaigns has its week and largest send noted in steps, also when two note at once', async () => {
  const team = await newTeam();
  const ids = Array.from({ length: 850 }, (_, index) => index + 1);
  const recent = (id: number) => id % 100 === 0;
  const rows = ids.flatMap((id) => {
    const at = recent(id) ? daysAgo(6 - id / 200) : id % 3 ? daysAgo(900 - id) : undefined;
    return stored(team, id, at, { sent: 1_000 - id }, id % 7 ? 'campaign' : 'deleted');
  });
  await write(rows);
  expect(await inSteps(team)).toEqual({ largest: 999, steps: 3 });
  const logged = await (await rawTable(inject('folder'))).partition(`TEAM#${team.id}#SEND_LOG`);
  expect(logged.map(({ id }) => id)).toEqual(ids.filter(recent));
});

it('feedback and messages after a send was noted count at once for the newest, and after a note for all', async () => {
  const team = await newTeam();
  const sends = Array.from({ length: 52 }, (_, index) => index + 1);
  await write(sends.flatMap((id) => stored(team, id, daysAgo(3 - id / 52), { sent: 10 })));
  expect(await weekOf(team.id)).toEqual({ sent: 520, bounced: 0, complained: 0 });
  await write(sends.flatMap((id) => stored(team, id, daysAgo(3 - id / 52), { sent: 10, bounced: 1 }).slice(-1)));
  expect((await weekOf(team.id)).bounced).toBe(50);
  // The job after a batch of feedback, which may run twice.
  for (const campaign_id of [1, 2, 2]) await recount({ team_id: team.id, campaign_id }, Date.now() + 20_000);
  expect(await weekOf(team.id)).toEqual({ sent: 520, bounced: 52, complained: 0 });
});

it('a late note does not replace a later one, and a send that goes on is open again', async () => {
  const team = await newTeam();
  const send = { id: 7, frozen_at: daysAgo(1) };
  await write(stored(team, 7, send.frozen_at, { sent: 40 }));
  await noteSend(team.id, { ...send, ended_at: daysAgo(0) });
  await log.note(team.id, { ...send, sent: 3, bounced: 0, complained: 0 }, daysAgo(0.1));
  const [row] = await log.since(team.id, ' ', 10);
  expect(row).toMatchObject({ sent: 40, ended_at: expect.any(String) });
  await noteSend(team.id, send);
  expect((await log.since(team.id, ' ', 10))[0]).not.toHaveProperty('ended_at');
});

it('a note takes the counter that its caller has read, as of then: it does not replace a later note', async () => {
  const team = await newTeam();
  const send = { id: 8, frozen_at: daysAgo(1) };
  await write(stored(team, 8, send.frozen_at, { sent: 40, bounced: 2 }));
  const noted = async () => (await log.since(team.id, ' ', 10))[0];
  const read = { sent: 39, at: daysAgo(0.01) };
  expect(await noteSend(team.id, send, read)).toEqual({ sent: 39, bounced: 2, complained: 0 });
  // The same step ends the send with the same counter.
  await noteSend(team.id, { ...send, ended_at: read.at }, read);
  expect(await noted()).toMatchObject({ sent: 39, bounced: 2, noted_at: read.at, ended_at: read.at });
  await noteSend(team.id, send);
  await noteSend(team.id, send, read);
  expect(await noted()).toMatchObject({ sent: 40 });
});
