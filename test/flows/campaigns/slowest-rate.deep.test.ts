import { expect, it } from 'vitest';
import { acceptedAddresses } from '../../support/campaign.ts';
import {
  campaignTo,
  restart,
  send,
  sendRate,
  setRate,
  stack,
  startMetering,
  team,
  usage,
  within,
} from './slow-rate.setup.ts';

it('goes on with the rest of a page after a crash between two of its calls', async () => {
  const own = await team();
  const campaign = await campaignTo(own, 50);
  await send(own, campaign);
  const begun = await within(60, own, campaign, ({ sent_count }) => sent_count > 0, 0.5);
  // The smallest call is the first.
  expect(begun).toMatchObject({ status: 'sending', sent_count: 50 % sendRate });
  await restart();
  const ended = await within(300, own, campaign, ({ status }) => status === 'sent');
  expect(ended).toMatchObject({ status: 'sent', sent_count: 50 });
  const accepted = await acceptedAddresses(stack.origin, own, campaign);
  expect([accepted.length, new Set(accepted).size]).toEqual([50, 50]);
});

// Last: it changes the account.
it('sends one message a second where the account may send no more', async () => {
  const own = await team();
  await setRate(1);
  const campaign = await campaignTo(own, 10);
  await startMetering();
  await send(own, campaign);
  expect(await within(60, own, campaign, ({ status }) => status === 'sent')).toMatchObject({ sent_count: 10 });
  expect((await usage()).calls['ses:SendBulkEmail']).toBe(10);
});
