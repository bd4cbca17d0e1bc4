import { describe, expect, it } from 'vitest';
import { campaignStatuses } from '../../../shared/domain/campaigns/status.ts';
import { idle } from '../../support/campaign.ts';
import { operate } from '../../support/operate.ts';
import { control, newTeam } from '../../support/team.ts';
import { drive, folder, heal, stack } from './states.setup.ts';

describe.each(campaignStatuses)('a campaign that is %s', (state) => {
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
