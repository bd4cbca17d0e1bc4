import { expect, it } from 'vitest';
import { ended } from '../../support/campaign.ts';
import { begin, expectTrue, killDuring, kills, stack, team } from './crash.setup.ts';

it('loses no recipient and mails none twice when the stack is killed repeatedly during a send', async () => {
  const { campaign, emails } = await begin();
  expect((await team.api('POST', `/campaigns/${campaign}/send`)).status).toBe(200);
  for (let kill = 0; kill < kills; kill++) await killDuring(campaign, 1 / kills);
  await ended(stack.origin, team, campaign);
  await expectTrue(campaign, emails);
}, 240_000);
