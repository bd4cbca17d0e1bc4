import { describe, expect, it } from 'vitest';
import { ended, everyRow, finished, readyCampaign } from '../../support/campaign.ts';
import { operate } from '../../support/operate.ts';
import { control } from '../../support/team.ts';
import { warehouseCampaign, warehouseOf } from '../../support/warehouse.ts';
import { dataOf, folder, listenTo, newOwner, stack, typesOf } from './events.setup.ts';

describe('a campaign', () => {
  it('is published from queued to delivered, message by message, with the events that GET /events shows', async () => {
    const team = await newOwner();
    const all = await listenTo(team, '*');
    const people = Array.from({ length: 60 }, (_, index) => ({ email: `p${index}@example.com` }));
    const { campaign } = await readyCampaign(team, [...people, { email: 'bounce@simulator.amazonses.com' }]);
    await all(61);
    expect((await team.api('POST', `/campaigns/${campaign}/send`)).status).toBe(200);
    expect((await ended(stack.origin, team, campaign)).status).toBe('sent');
    const events = await everyRow(team, `/events?campaign_id=${campaign}`);
    const mail = (await all(61 + 2 + events.length)).filter(({ type }) => type.startsWith('email.'));
    const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
    expect(mail.map(({ data }) => data).sort(byId)).toEqual(events.sort(byId));
    const counts = Object.fromEntries(
      [...Map.groupBy(mail, ({ type }) => type)].map(([type, rows]) => [type, rows.length]),
    );
    expect(counts).toEqual({ 'email.queued': 61, 'email.sent': 61, 'email.delivered': 60, 'email.bounced': 1 });
    const moves = (await all()).filter(({ type }) => type.startsWith('campaign.'));
    expect(typesOf(moves)).toEqual(['campaign.sending', 'campaign.sent']);
    const shown = (await team.api('GET', `/campaigns/${campaign}`)).body.data;
    expect(dataOf(moves, 'campaign.sent')).toEqual([shown]);
  });

  it('is published when it is scheduled, cancelled, held, refused and failed', async () => {
    const team = await newOwner();
    const all = await listenTo(
      team,
      'campaign.scheduled',
      'campaign.cancelled',
      'campaign.held',
      'campaign.failed',
      'campaign.sending',
    );
    const first = (await readyCampaign(team, [{ email: 'ann@example.com' }])).campaign;
    const send_at = new Date(Date.now() + 86_400_000).toISOString();
    await team.api('POST', `/campaigns/${first}/schedule`, { send_at });
    const scheduled = (await team.api('GET', `/campaigns/${first}`)).body.data;
    expect(dataOf(await all(1), 'campaign.scheduled')).toEqual([scheduled]);
    await team.api('POST', `/campaigns/${first}/cancel`);
    expect(dataOf(await all(2), 'campaign.cancelled')).toMatchObject([{ id: first, status: 'cancelled' }]);
    const html = '<a href="http://10.0.0.1/x">https://example.com</a> <a href="{{unsubscribe_url}}">Unsubscribe</a>';
    const odd = (await readyCampaign(team, [{ email: 'ann@example.com' }], { html })).campaign;
    await team.api('POST', `/campaigns/${odd}/send`);
    expect(dataOf(await all(3), 'campaign.held')).toMatchObject([{ id: odd, status: 'held' }]);
    const { campaign, list } = await readyCampaign(team, [{ email: 'bob@example.com' }]);
    const at = new Date(Date.now() + 3 * 3_600_000).toISOString();
    await team.api('POST', `/campaigns/${campaign}/schedule`, { send_at: at });
    await team.api('DELETE', `/lists/${list}`);
    await control('POST', '/clock', { advance_seconds: 4 * 3_600 }, stack.origin);
    expect(dataOf(await all(5), 'campaign.failed')).toMatchObject([{ id: campaign, status: 'failed' }]);
    expect(await all()).toHaveLength(5);
  });

  it('with a warehouse audience is published, also when its export is empty or unusually large', async () => {
    const team = await newOwner();
    const all = await listenTo(team, 'campaign.held', 'campaign.failed');
    const warehouse = warehouseOf(folder);
    await warehouse.operate('warehouse set', { team_id: team.id });
    const empty = await warehouseCampaign(team);
    await team.api('POST', `/campaigns/${empty}/send`);
    expect(dataOf(await all(1), 'campaign.failed')).toMatchObject([{ id: empty, failure_reason: 'audience_empty' }]);
    const people = Array.from({ length: 10_001 }, (_, index) => `p${index}@x.example`);
    await warehouse.put(team, '1.csv', `email\n${people.join('\n')}\n`);
    const large = await warehouseCampaign(team);
    await team.api('POST', `/campaigns/${large}/send`);
    expect((await finished(team, large, stack.origin)).status).toBe('held');
    expect(dataOf(await all(2), 'campaign.held')).toMatchObject([{ id: large, status: 'held' }]);
    expect(await all()).toHaveLength(2);
  }, 240_000);

  it('of a suspended team is published as queued when it opens paused, and as sending once it is resumed', async () => {
    const team = await newOwner();
    const all = await listenTo(team, 'email.queued', 'campaign.sending');
    const { campaign } = await readyCampaign(team, [{ email: 'ann@example.com' }, { email: 'bob@example.com' }]);
    const noWorkflow = { service: 'states', operation: 'StartExecution', error: 'ExecutionLimitExceeded' };
    await control('POST', '/faults', noWorkflow, stack.origin);
    expect((await team.api('POST', `/campaigns/${campaign}/send`)).status).toBe(503);
    await operate(folder, 'team suspend', { team_id: team.id });
    await control('DELETE', '/faults', undefined, stack.origin);
    await control('POST', '/clock', { advance_seconds: 180 }, stack.origin);
    const byId = (a: { id: number }, b: { id: number }) => a.id - b.id;
    const queued = dataOf(await all(2), 'email.queued').sort(byId);
    expect(queued).toEqual((await everyRow(team, `/events?campaign_id=${campaign}`)).sort(byId));
    expect((await team.data('GET', `/campaigns/${campaign}`)).status).toBe('paused');
    await operate(folder, 'team unsuspend', { team_id: team.id });
    await team.data('POST', `/campaigns/${campaign}/resume`);
    expect(typesOf(await all(3))).toEqual(['campaign.sending', 'email.queued', 'email.queued']);
  });
});
