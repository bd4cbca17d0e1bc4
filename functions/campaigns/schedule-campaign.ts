import * as z from 'zod';
import { campaignView } from '../../shared/data/campaigns/view.ts';
import { ValidationError } from '../../shared/domain/errors.ts';
import { schedule } from '../../shared/flows/campaigns/launch.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { timestampInput } from '../../shared/http/schemas.ts';
import { campaign, campaignOf, campaignParams } from './schemas.ts';

const maxYearsAhead = 10;

export const scheduleCampaign = endpoint({
  method: 'POST',
  path: '/campaigns/{campaign}/schedule',
  scope: 'campaigns:send',
  summary: 'Schedule a draft that passes every gate, or a scheduled campaign anew; the gates run again at that time',
  params: campaignParams,
  body: z.object({ send_at: timestampInput }).meta({ id: 'CampaignScheduleInput' }),
  response: dataOf(campaign),

  async handle({ caller, params, body: { send_at }, operation, actor }) {
    const found = await campaignOf(caller.teamId, params);
    checkTime(send_at, operation.startedAt);
    return { data: await campaignView(caller.teamId, await schedule(caller, found, send_at, actor)) };
  },
});

function checkTime(at: string, now: Date): void {
  const latest = new Date(now);
  latest.setUTCFullYear(now.getUTCFullYear() + maxYearsAhead);
  if (Date.parse(at) <= now.getTime()) throw new ValidationError({ send_at: ['must be in the future'] });
  if (Date.parse(at) > latest.getTime())
    throw new ValidationError({ send_at: [`at most ${maxYearsAhead} years ahead`] });
}
