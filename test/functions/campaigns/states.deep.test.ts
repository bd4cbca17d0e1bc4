import { describe, expect, it } from 'vitest';
import { campaignStatuses } from '../../../shared/domain/campaigns/status.ts';
import { idle } from '../../support/campaign.ts';
import { operate } from '../../support/operate.ts';
import { control, newTeam } from '../../support/team.ts';
import { actions, drive, folder, heal, later, stack } from './states.setup.ts';

describe.each(campaignStatuses)('a campaign that is %s', (state) => {
  const allowed = Object.keys(actions).filter((name) => actions[name]!.allowed[state] !== undefined);

  it.each(allowed.map((name) => [name, actions[name]!.allowed[state]!]))('becomes by %s: %s', async (name, becomes) => {
    const team = await newTeam({ origin: stack.origin });
    const id = await drive[state](team);
    const answer = await actions[name]!.act(team, id);
    expect(answer.code).toBeUndefined();
    if (answer.status !== undefined) expect(answer.status).toBe(becomes);
    const { status, body } = await team.api('GET', `/campaigns/${id}`);
    expect(status).toBe(becomes === 'gone' ? 404 : 200);
    // The workflow may have moved it on by now.
    if (becomes !== 'gone' && becomes !== 'screening' && becomes !== 'queuing') expect(body.data.status).toBe(becomes);
    if (name === 'schedule') expect(body.data.scheduled_at).toBe(later);
    if (name.endsWith('variants')) expect(body.data.ab_test).toMatchObject({ enabled: true, percentage: 20 });
    if (state === 'held' && becomes === 'draft')
      expect(body.data).toMatchObject({ failure_reason: null, scheduled_at: null });
  });

  it('is paused when its team is suspended during the send, and not sent when before it', async () => {
    const own = await newTeam({ origin: stack.origin });
    const id = await drive[state](own);
    const { paused } = await operate(folder, 'team suspend', { team_id: own.id });
    expect(paused).toEqual(state === 'sending' ? [id] : []);
    const { status, failure_reason } = await own.data('GET', `/campaigns/${id}`);
    expect(status).toBe(state === 'sending' ? 'paused' : state);
    if (state === 'sending') expect(failure_reason).toBe('sending_suspended');
    const launched = await own.api('POST', `/campaigns/${id}/${state === 'paused' ? 'resume' : 'send'}`);
    expect(launched.status).toBe(422);
    if (state === 'draft' || state === 'paused') expect(launched.body.blockers).toEqual(['sending_suspended']);
    if (state !== 'screening' && state !== 'queuing') return;
    await heal();
    await control('POST', '/clock', { advance_seconds: 180 }, stack.origin);
    await idle(stack.origin, own);
    expect(await own.data('GET', `/campaigns/${id}`)).toMatchObject({
      status: 'paused',
      failure_reason: 'sending_suspended',
      total_recipients: 2,
      sent_count: 0,
    });
    await operate(folder, 'team unsuspend', { team_id: own.id });
    await own.data('POST', `/campaigns/${id}/resume`);
    await idle(stack.origin, own);
    expect(await own.data('GET', `/campaigns/${id}`)).toMatchObject({ status: 'sent', sent_count: 2 });
  });
});
