import { beforeAll, expect, inject, it } from 'vitest';
import { ApiError, Mailwright } from '../../client/src/index.ts';
import { finished, rows } from '../support/campaign.ts';
import { newTeam, type Team } from '../support/team.ts';

let team: Team;
let client: Mailwright;

beforeAll(async () => {
  team = await newTeam();
  client = new Mailwright({ baseUrl: inject('origin'), apiKey: team.apiKey });
});

it('imports contacts and lists all of them over several pages', async () => {
  const contacts = rows(250);
  const list = await client.lists.create({ name: 'Everybody' });
  const imported = await client.contacts.bulkUpsert({ contacts, list_ids: [list.id] });
  expect(imported).toMatchObject({ created: 250, updated: 0 });
  const found = await client.contacts.list({ list_id: list.id }).toArray();
  expect(found.map(({ email }) => email).sort()).toEqual(contacts.map(({ email }) => email).sort());
  expect((await client.contacts.get(found[0]!.email)).id).toBe(found[0]!.id);
});

it('sends a campaign once for repeated requests with one Idempotency-Key, and reads its report', async () => {
  const list = await client.lists.create({ name: 'Readers' });
  await client.contacts.bulkUpsert({ contacts: rows(3, 'readers.example'), list_ids: [list.id] });
  const campaign = await client.campaigns.create({ name: 'News', subject: 'News', contact_list_id: list.id });
  const refused = await client.campaigns.send(campaign.id).catch((error) => error);
  expect(refused).toBeInstanceOf(ApiError);
  expect(refused).toMatchObject({ status: 422, code: 'send_blocked' });
  expect(refused.blockers).toContain('content_missing');

  await client.campaigns.update(campaign.id, { name: 'News', from_email: `news@${team.domain}` });
  await client.campaigns.setContent(campaign.id, {
    blocks_json: [
      { type: 'heading', data: { text: 'News' } },
      { type: 'html', data: { html: '<p><a href="{{unsubscribe_url}}">Unsubscribe</a></p>' } },
    ],
  });
  const idempotencyKey = `launch-${campaign.id}`;
  const launched = await client.campaigns.send(campaign.id, { idempotencyKey });
  expect(await client.campaigns.send(campaign.id, { idempotencyKey })).toEqual(launched);
  await finished(team, campaign.id);
  const { status, metrics } = await client.campaigns.getReport(campaign.id);
  expect([status, metrics.sent]).toEqual(['sent', 3]);
  const sent = await client.campaigns.listRecipients(campaign.id, { filter: 'sent' }).toArray();
  expect(sent).toHaveLength(3);
});

it('names the refused row of an import, and reports an unknown record', async () => {
  const contacts = [{ email: 'fine@example.com' }, { email: 'no address' }];
  const bad = await client.contacts.bulkUpsert({ contacts }).catch((error) => error);
  expect(bad).toMatchObject({ status: 422, code: 'validation_error', requestId: expect.any(String) });
  expect(Object.keys(bad.errors)).toEqual(['contacts.1.email']);
  await expect(client.contacts.get('nobody@example.com')).rejects.toMatchObject({ status: 404, code: 'not_found' });
});

it('removes suppressions by DELETE requests with a body', async () => {
  for (const email of ['a@example.com', 'b@example.com']) await client.suppressions.add({ email, reason: 'manual' });
  for await (const { email } of client.suppressions.list({ reason: 'manual' }))
    expect(await client.suppressions.remove({ email })).toEqual({ status: 'removed' });
  expect(await client.suppressions.list().toArray()).toEqual([]);
});
