import { expect, it } from 'vitest';
import { type Counted, count } from '../../shared/data/messages/service-mail.ts';
import { useSharedTable } from '../support/data.ts';
import { newTeam } from '../support/team.ts';

useSharedTable();

it('takes back the count of one message, and of no other that was counted since', async () => {
  const { id } = await newTeam();
  const invite = (waitlist_id: number) =>
    count({ id, plan: 'enterprise' }, { kind: 'invitation', waitlist_id }, 'ann@example.com');
  const first = (await invite(1)) as Counted;
  await invite(2);
  await first.giveBack();
  expect(await invite(2)).toBe('limit');
  // Three a day: the second, this one again, and one more.
  expect(await invite(1)).toHaveProperty('giveBack');
  expect(await invite(3)).toHaveProperty('giveBack');
  expect(await invite(4)).toBe('limit');
});
