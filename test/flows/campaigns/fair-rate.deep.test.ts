import { expect, it } from 'vitest';
import { advance, campaignsTo, campaignTo, send, team, within } from './slow-rate.setup.ts';

it('sends a campaign of one page within a minute, behind a hundred large ones of another team', async () => {
  const large = await team();
  const campaigns = await campaignsTo(large, 200, 100);
  const small = await team();
  const page = await campaignTo(small, 50);
  for (const id of campaigns) await send(large, id);
  await within(300, large, campaigns.at(-1)!, ({ status }) => status === 'sending');
  await advance(30);
  await send(small, page);
  expect(await within(60, small, page, ({ status }) => status === 'sent')).toMatchObject({
    status: 'sent',
    sent_count: 50,
  });
}, 900_000);
