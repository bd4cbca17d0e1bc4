import { expect, it } from 'vitest';
import * as directOutcomes from '../../../shared/data/messages/direct-outcomes.ts';
import * as table from '../../../shared/data/table.ts';
import * as teams from '../../../shared/data/teams/teams.ts';
import type { IncomingEvent } from '../../../shared/domain/events/delivery-event.ts';
import { fromSes } from '../../../shared/domain/events/ses-event.ts';
import { timestamp } from '../../../shared/domain/time.ts';
import { teamBlockers } from '../../../shared/flows/campaigns/team-blockers.ts';
import { applyEvents } from '../../../shared/flows/feedback/apply-events.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

const weekAgo = () => timestamp(Date.now() - 7 * 86_400_000);

/** SES's report that the message of a person bounced for now, which changes no contact. */
function bounce(teamId: number, person: number, tags: Record<string, string>, daysAfter = 0): IncomingEvent[] {
  const [email, at] = [`person-${person}@example.com`, new Date().toISOString()];
  const sent = new Date(Date.now() - daysAfter * 86_400_000).toISOString();
  const own = Object.fromEntries(
    Object.entries({ team: String(teamId), ...tags }).map(([name, value]) => [name, [value]]),
  );
  const mail = { messageId: `${person}`, timestamp: sent, destination: [email], tags: own };
  const details = { timestamp: at, bounceType: 'Transient', bounceSubType: 'General', bouncedRecipients: [] };
  return fromSes({ eventType: 'Bounce', mail, bounce: details });
}

it('a bounce of a message that no campaign sent counts once, however often it is reported', async () => {
  const { id } = await newTeam();
  await directOutcomes.countSent(id, 120);
  await directOutcomes.countSent(id, -1);
  const direct = Array.from({ length: 30 }, (_, person) => bounce(id, person, { kind: 'transactional' })).flat();
  const step = bounce(id, 30, { sequence: '1', step: '1', contact: '1' });
  // A confirmation of an earlier version, and what a client reports.
  const others = [...bounce(id, 31, {}), { ...direct[0]!, email: 'client@example.com', direct: undefined }];
  await Promise.all([applyEvents(id, [...direct, ...step]), applyEvents(id, direct), applyEvents(id, others)]);
  await applyEvents(id, [...step, ...direct]);
  expect(await directOutcomes.since(id, weekAgo())).toEqual({ sent: 119, bounced: 31, complained: 0 });
});

it('messages of more than a week ago do not count', async () => {
  const { id } = await newTeam();
  await table.transact([
    directOutcomes.counting(id, { sent: 500, complained: 50 }, timestamp(Date.now() - 8 * 86_400_000)),
  ]);
  expect(await directOutcomes.since(id, weekAgo())).toEqual({ sent: 0, bounced: 0, complained: 0 });
});

it('a bounce counts by when its message was sent', async () => {
  const { id } = await newTeam();
  const late = [2, 8].flatMap((days, person) => bounce(id, person, { kind: 'confirmation' }, days));
  await applyEvents(id, late);
  expect(await directOutcomes.since(id, weekAgo())).toMatchObject({ bounced: 1 });
  const dayAgo = timestamp(Date.now() - 86_400_000);
  expect(await directOutcomes.since(id, dayAgo)).toMatchObject({ bounced: 0 });
});

it('a verdict is kept, and void with the next bounce', async () => {
  const { id } = await newTeam();
  await directOutcomes.countSent(id, 100);
  expect(await teamBlockers(id)).toEqual([]);
  expect((await teams.find(id))?.verdict).toMatchObject({ blocked: false });
  const many = Array.from({ length: 10 }, (_, person) => bounce(id, person, { kind: 'test' })).flat();
  await applyEvents(id, many);
  expect(await teamBlockers(id)).toEqual(['abuse_screening_failed']);
  expect((await teams.find(id))?.verdict).toMatchObject({ blocked: true, bad_feedback: 1 });
});
