import { beforeAll, describe, expect, it } from 'vitest';
import { readyCampaign, rows } from '../../support/campaign.ts';
import { newSequence, newStep, stepHtml } from '../../support/sequence.ts';
import { control, newTeam, type Team } from '../../support/team.ts';

const shortened = '<p><a href="https://bit.ly/x">Read more</a></p>';
const hidden = { ...newStep('Hidden'), html_content: stepHtml('') + shortened };

let team: Team;

beforeAll(async () => {
  team = await newTeam();
});

async function expectRefused(answer: ReturnType<Team['api']>, finding: string): Promise<void> {
  const { status, body } = await answer;
  expect([status, body.code, body.blockers]).toEqual([422, 'send_blocked', ['abuse_screening_failed']]);
  expect(body.message).toContain(finding);
}

describe('content that hides where its links lead', () => {
  it('is not sent as a transactional message, whether its own, a template or by a variable', async () => {
    const template = await team.data('POST', '/templates', { name: 'Hidden', html_content: shortened });
    const link = '<a href="{{link}}">www.bank.example</a>';
    const to = 'screened@example.com';
    const message = { to, from_email: `me@${team.domain}`, subject: 'Hello' };
    const send = (more: object) => team.api('POST', '/send', { ...message, ...more });
    await expectRefused(send({ html: shortened }), 'bit.ly');
    await expectRefused(send({ template_id: template.id }), 'bit.ly');
    await expectRefused(send({ html: '<p>Hello</p>', text: 'See http://192.0.2.1/' }), '192.0.2.1');
    await expectRefused(send({ html: link, variables: { link: 'https://thief.example/' } }), 'thief.example');
    expect((await control('GET', `/messages?to=${to}`)).body.data).toEqual([]);
    expect((await send({ html: link, variables: { link: 'https://www.bank.example/' } })).status).toBe(200);
  });

  it('is not sent as a test', async () => {
    const { campaign } = await readyCampaign(team, rows(1), { html: stepHtml('') + shortened });
    const emails = [`somebody@${team.domain}`];
    await expectRefused(team.api('POST', `/campaigns/${campaign}/test`, { emails }), 'bit.ly');
  });

  it('keeps a sequence from being activated, and an active one from being changed', async () => {
    const sequence = await newSequence(team, [newStep('One'), hidden], { status: 'draft' });
    const path = `/sequences/${sequence}`;
    await expectRefused(team.api('PATCH', path, { status: 'active' }), 'bit.ly');
    await team.data('PUT', `${path}/steps`, { steps: [newStep('One')] });
    await team.data('PATCH', path, { status: 'active' });
    await expectRefused(team.api('PUT', `${path}/steps`, { steps: [newStep('One'), hidden] }), 'bit.ly');
    expect((await team.data('GET', `${path}/steps`)).steps).toHaveLength(1);
  });
});
