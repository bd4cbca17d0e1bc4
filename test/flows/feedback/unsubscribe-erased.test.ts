import { expect, it } from 'vitest';
import { signingKey } from '../../../shared/data/signing-key.ts';
import { signToken } from '../../../shared/domain/signed-token.ts';
import { finished, messagesOf, readyCampaign } from '../../support/campaign.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();
const email = 'ann@example.com';

/** A contact that got a campaign and was erased since, with the link in its message. */
async function erased() {
  const team = await newTeam();
  const { campaign } = await readyCampaign(team, [{ email }]);
  await team.data('POST', `/campaigns/${campaign}/send`);
  await finished(team, campaign);
  const link = (await messagesOf(team, campaign)).get(email)!.headers['List-Unsubscribe']!.slice(1, -1);
  const { id } = await team.data('GET', `/contacts/${email}`);
  await team.data('POST', `/contacts/${id}/erase`);
  const suppression = async () => (await team.data('GET', `/suppressions?email=${email}`))[0]?.reason;
  return { team, campaign, id, link, suppression };
}

async function press(link: string): Promise<string> {
  const answer = await fetch(link, { method: 'POST' });
  return `${answer.status} ${/<title>(.*?)</.exec(await answer.text())?.[1]}`;
}

it('an unsubscribe link reaches the address also after an erasure and a new import', async () => {
  const { team, campaign, id, link, suppression } = await erased();
  const again = await team.data('POST', '/contacts', { email });
  expect([again.id === id, again.status]).toEqual([false, 'active']);
  expect(await (await fetch(link)).text()).toContain('<form method="post">');
  expect(await press(link)).toBe('200 You are unsubscribed');
  expect([(await team.data('GET', `/contacts/${email}`)).status, await suppression()]).toEqual([
    'unsubscribed',
    'unsubscribe',
  ]);
  // The campaign went to the person of before, whom it no longer names.
  expect((await team.data('GET', `/campaigns/${campaign}/report`)).metrics.unsubscribed).toBe(0);
});

it('an unsubscribe link suppresses an erased address, so that no later import mails it', async () => {
  const { team, link, suppression } = await erased();
  expect(await suppression()).toBeUndefined();
  expect(await press(link)).toBe('200 You are unsubscribed');
  expect(await suppression()).toBe('unsubscribe');
  expect((await team.data('POST', '/contacts', { email })).status).toBe('unsubscribed');
});

it('a link of an earlier version, which names an erased contact, does not claim to have unsubscribed it', async () => {
  const { team, campaign, id, link, suppression } = await erased();
  const token = signToken(await signingKey(), 'unsubscribe', [team.id, campaign, id]);
  expect(await press(link.replace(/[\w-]+$/, token))).toBe('410 This address was erased');
  expect(await suppression()).toBeUndefined();
});
