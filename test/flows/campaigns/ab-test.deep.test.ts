import { describe, expect, it } from 'vitest';
import { idle } from '../../support/campaign.ts';
import { control } from '../../support/team.ts';
import { advance, type Counts, decided, ofVariant, react, results, sendTest, sentTo, stack } from './ab-test.setup.ts';

describe('the decision', () => {
  it('uses counts that are rebuilt after the table lost answers', async () => {
    const campaign = await sendTest(60, { percentage: 100 });
    const slice = await sentTo(campaign);
    const fault = { service: 'dynamodb', operation: 'UpdateItem', error: 'lost_response', rate: 0.4 };
    await control('POST', '/faults', fault, stack.origin);
    await react([...ofVariant(slice, 2), ...ofVariant(slice, 3).slice(0, 4)], 'open');
    await control('DELETE', '/faults', undefined, stack.origin);
    await advance(20 * 60);
    await idle(stack.origin);
    expect((await results(campaign)).map(({ opened }: Counts) => opened)).toEqual([0, 20, 4]);
    const done = await decided(campaign);
    expect(done.ab_test.winner_variant_id).toBe(2);
    expect((await results(campaign)).map(({ opened }: Counts) => opened)).toEqual([0, 20, 4]);
  });
});
