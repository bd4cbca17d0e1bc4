import { expect, it } from 'vitest';
import { finished, messagesOf } from '../../support/campaign.ts';
import { sent, stack, teamWith, warehouse } from './warehouse.setup.ts';

it('holds an unusually large audience for an operator, and reads the export again after an edit', async () => {
  const team = await teamWith();
  const team_id = team.id;
  const people = Array.from({ length: 10_001 }, (_, index) => `p${index}@x.example`);
  const held = async () => {
    await warehouse.put(team, '1.csv', `email\n${people.join('\n')}\n`);
    const { id, campaign, imported } = await sent(team);
    expect(campaign).toMatchObject({ status: 'held', total_recipients: 0 });
    expect(campaign.failure_reason).toMatch(/^held for review: an audience of more than 10000/);
    expect(imported.accepted).toBe(10_001);
    return id;
  };
  const edited = await held();
  await warehouse.put(team, '1.csv', 'email\np7@x.example\nnew@x.example\n');
  expect((await team.api('PATCH', `/campaigns/${edited}`, { name: 'Smaller' })).body.data.status).toBe('draft');
  expect((await team.api('POST', `/campaigns/${edited}/send`)).status).toBe(200);
  expect(await finished(team, edited, stack.origin)).toMatchObject({ status: 'sent', total_recipients: 2 });
  const { body } = await team.api('GET', `/campaigns/${edited}/audience-import`);
  expect(body.data).toMatchObject({ status: 'imported', rows: 2, accepted: 2, duplicates: 0 });
  const messages = await messagesOf(team, edited, stack.origin);
  expect([...messages.keys()].sort()).toEqual(['new@x.example', 'p7@x.example']);
  const released = await held();
  await warehouse.operate('campaign release', { team_id, campaign_id: released });
  for (;;) {
    const { data } = (await team.api('GET', `/campaigns/${released}`)).body;
    if (data.status === 'queuing') continue;
    expect(data).toMatchObject({ status: 'sending', total_recipients: 10_001 });
    break;
  }
  await warehouse.operate('team suspend', { team_id });
}, 240_000);
