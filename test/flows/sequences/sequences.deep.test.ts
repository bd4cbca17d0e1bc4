import { describe, expect, it } from 'vitest';
import { everyRow, rows } from '../../support/campaign.ts';
import { operate } from '../../support/operate.ts';
import { enrol, newContacts, newSequence, newStep, subscribersOf } from '../../support/sequence.ts';
import { rawTable } from '../../support/table.ts';
import { control, newTeam, type Team } from '../../support/team.ts';
import { day, folder, forward, hour, sent, stack, subjects, team, withOne } from './sequences.setup.ts';

const enrolledAt = async (from: Team, sequence: number) =>
  [...(await subscribersOf(from, sequence)).values()][0]!.enrolled_at;

it('sends once to each of 2,000 subscribers due in the same minute, and delays no other sequence', async () => {
  const contacts = rows(2_000, 'crowd.example');
  for (let start = 0; start < contacts.length; start += 1_000)
    await team.api('POST', '/contacts/bulk', { contacts: contacts.slice(start, start + 1_000) });
  const crowd = await newSequence(team, [newStep('Crowd', 1), newStep('Later', 30)]);
  const emails = contacts.map(({ email }) => email);
  for (let start = 0; start < emails.length; start += 1_000)
    expect((await enrol(team, crowd, emails.slice(start, start + 1_000))).enrolled).toBe(1_000);
  const single = await withOne('single@example.com', [newStep('Single', 1)]);
  await forward(day + 61);
  const messages = await sent(crowd);
  expect(messages.map(({ to }) => to).sort()).toEqual(emails.toSorted());
  expect(await subjects(single)).toEqual(['Single']);
  const inside = await everyRow(team, `/sequences/${crowd}/subscribers`);
  expect(inside.filter(({ status, current_step }) => status === 'active' && current_step === 2)).toHaveLength(2_000);
}, 180_000);

describe('subscribers wait, and none is lost,', () => {
  it('while the sending domain is not verified', async () => {
    const domains = ['first.wait.example', 'second.wait.example'];
    const made = (await control('POST', '/teams', { name: 'Two', domains }, stack.origin)).body;
    const own: Team = { ...team.withKey(made.api_key), id: made.team_id, domain: domains[0]! };
    const sequence = await newSequence(own, [newStep('A', 1)]);
    await newContacts(own, ['domain@example.com']);
    await enrol(own, sequence, ['domain@example.com']);
    expect((await own.api('DELETE', `/sending-domains/${own.domain}`)).status).toBe(200);
    await forward(day + 61);
    expect(await sent(sequence, own)).toEqual([]);
    expect((await subscribersOf(own, sequence)).get('domain@example.com').status).toBe('active');
    const change = (from_email: string) => own.api('PATCH', `/sequences/${sequence}`, { from_email });
    expect((await change(`me@${team.domain}`)).body.code).toBe('sending_domain_unverified');
    expect((await change(`me@${domains[1]}`)).status).toBe(200);
    await forward(hour);
    expect(await subjects(sequence, own)).toEqual(['A']);
  });

  it('while the team is suspended', async () => {
    const own = await newTeam({ origin: stack.origin });
    const sequence = await newSequence(own, [newStep('A', 1)]);
    await newContacts(own, ['suspended@example.com']);
    await enrol(own, sequence, ['suspended@example.com']);
    await operate(folder, 'team suspend', { team_id: own.id });
    await forward(day + 61);
    expect(await sent(sequence, own)).toEqual([]);
    await operate(folder, 'team unsuspend', { team_id: own.id });
    await forward(hour);
    expect(await subjects(sequence, own)).toEqual(['A']);
  });

  it("while the month's allowance is used up, and it is never exceeded", async () => {
    const own = await newTeam({ origin: stack.origin, plan: 'business' });
    const sequence = await newSequence(own, [newStep('A', 1)]);
    const emails = Array.from({ length: 12 }, (_, index) => `allowed-${index}@example.com`);
    await newContacts(own, emails);
    await enrol(own, sequence, emails);
    await forward(day - 120);
    const { body } = await own.api('GET', '/lists');
    expect(body.data).toHaveLength(1);
    const clock = Date.parse((await enrolledAt(own, sequence)) as string) + day * 1000;
    const months = [clock, clock - day * 1000, clock + day * 1000].map((at) => new Date(at).toISOString().slice(0, 7));
    const table = await rawTable(folder);
    await table.write(
      [...new Set(months)].map((month) => ({ pk: `TEAM#${own.id}`, sk: `USAGE#${month}`, emails: 999_993 })),
    );
    await forward(5 * 60);
    expect((await sent(sequence, own)).length).toBe(7);
    await operate(folder, 'team plan', { team_id: own.id, plan: 'enterprise' });
    await forward(hour);
    expect(new Set((await sent(sequence, own)).map(({ to }) => to)).size).toBe(12);
    expect(await sent(sequence, own)).toHaveLength(12);
  });
});
