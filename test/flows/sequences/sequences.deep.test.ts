import { expect, it } from 'vitest';
import { everyRow, rows } from '../../support/campaign.ts';
import { enrol, newSequence, newStep } from '../../support/sequence.ts';
import { day, forward, sent, subjects, team, withOne } from './sequences.setup.ts';

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
