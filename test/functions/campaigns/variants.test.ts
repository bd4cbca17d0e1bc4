import { beforeAll, describe, expect, it } from 'vitest';
import { newTeam, type Team } from '../../support/team.ts';

let team: Team;
let campaign: number;
beforeAll(async () => {
  team = await newTeam();
  campaign = (await team.api('POST', '/campaigns', { name: 'News' })).body.data.id;
});

const set = (variants: unknown) => team.api('POST', `/campaigns/${campaign}/variants`, { variants });
const variant = (label: string, more: object = {}) => ({ label, subject: `Subject of ${label}`, ...more });
const report = async () => (await team.api('GET', `/campaigns/${campaign}/report/variants`)).body.data;

describe('POST /campaigns/{campaign}/variants', () => {
  it('switches the test on with its defaults, and gives each variant an id and its counts', async () => {
    expect(await report()).toEqual([]);
    const { status, body } = await set([variant(' A '), variant('B', { from_name: 'Ann' })]);
    const blank = { is_winner: false, sent: 0, opened: 0, clicked: 0, open_rate: 0, click_rate: 0 };
    const expected = [
      { id: 1, label: 'A', subject: 'Subject of  A', from_name: null, ...blank },
      { id: 2, label: 'B', subject: 'Subject of B', from_name: 'Ann', ...blank },
    ];
    expect([status, body]).toEqual([200, { data: expected }]);
    expect(await report()).toEqual(expected);
    expect((await team.api('GET', `/campaigns/${campaign}`)).body.data.ab_test).toEqual({
      enabled: true,
      percentage: 20,
      winner_metric: 'opens',
      delay_minutes: 240,
      winner_variant_id: null,
    });
  });

  it('replaces them wholesale', async () => {
    await set(['V', 'W', 'X', 'Y', 'Z'].map((label) => variant(label)));
    await set([variant('B'), variant('C'), variant('A')]);
    expect((await report()).map(({ id, label }: { id: number; label: string }) => `${id}${label}`)).toEqual([
      '1B',
      '2C',
      '3A',
    ]);
  });

  it.each<[unknown, string]>([
    [undefined, 'variants'],
    ['A', 'variants'],
    [[], 'variants'],
    [[variant('A')], 'variants'],
    [['A', 'B', 'C', 'D', 'E', 'F'].map((label) => variant(label)), 'variants'],
    [[variant('A'), { label: 'B' }], 'variants.1.subject'],
    [[variant('A'), { subject: 'B' }], 'variants.1.label'],
    [[variant('A'), variant(' ')], 'variants.1.label'],
    [[variant('A'), variant('B'), variant(' A')], 'variants.2.label'],
    [[variant('A'), variant('B', { subject: '' })], 'variants.1.subject'],
    [[variant('A'), variant('B', { subject: 'x\r\nBcc: a@b.example' })], 'variants.1.subject'],
    [[variant('A'), variant('B', { from_name: 'x'.repeat(101) })], 'variants.1.from_name'],
  ])('refuses %j on its path, and keeps what was there', async (variants, path) => {
    const before = await report();
    const { status, body } = await set(variants);
    expect([status, body.code, Object.keys(body.errors)]).toEqual([422, 'validation_error', [path]]);
    expect(await report()).toEqual(before);
  });
});
