import { expect, it } from 'vitest';
import { control, newTeam } from '../../support/team.ts';

const publish = (name: string, ...txt: string[]) => control('POST', '/dns', { name, txt });
const identity = (domain: string) => control('POST', '/identities', { domain });

it('a domain becomes the team’s by a TXT record of the team, and by nothing else', async () => {
  const team = await newTeam();
  const domain = `claimed-${team.id}.example`;
  const { records } = await team.data('POST', '/sending-domains', { domain });
  const ownership = records.find(({ purpose }: { purpose: string }) => purpose === 'ownership');
  expect(ownership).toMatchObject({
    type: 'TXT',
    name: `_mailwright.${domain}`,
    value: expect.stringMatching(/^mailwright-team=[0-9a-f]{32}$/),
  });
  // Each call asks SES and DNS until the domain is verified.
  const send = async () => {
    const message = { from_email: `a@${domain}`, to: 'b@claims.example', subject: 'Hi', html: '<p>Hi</p>' };
    const { status, body } = await team.api('POST', '/send', message);
    return status === 200 ? 'sent' : body.code;
  };
  await identity(domain);
  await publish(ownership.name, 'v=spf1 -all', `${ownership.value}0`);
  expect(await send()).toBe('sending_domain_unverified');
  expect((await team.data('GET', `/sending-domains/${domain}`)).status).toBe('pending');
  await publish(ownership.name, 'v=spf1 -all', ownership.value);
  expect(await send()).toBe('sent');
  await publish(ownership.name);
  expect((await team.data('GET', `/sending-domains/${domain}`)).status).toBe('verified');
});

it('a domain that somebody else has made in the account’s SES is refused', async () => {
  const team = await newTeam();
  const domain = `foreign-${team.id}.example`;
  await identity(domain);
  const { status, body } = await team.api('POST', '/sending-domains', { domain });
  expect([status, body.code]).toEqual([422, 'not_applicable']);
  expect((await team.api('GET', `/sending-domains/${domain}`)).status).toBe(404);
});
