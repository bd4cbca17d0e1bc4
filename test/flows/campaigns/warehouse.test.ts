import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { idle } from '../../support/campaign.ts';
import { call, control, newTeam } from '../../support/team.ts';
import { warehouseCampaign } from '../../support/warehouse.ts';
import { linkIn, recipientsOf, rowsOf, sent, stack, teamWith, warehouse } from './warehouse.setup.ts';

it('mails an export of several CSV objects, merged from its rows, and reports the skipped ones', async () => {
  const team = await teamWith();
  await warehouse.put(team, '2.csv', 'EMAIL,plan\r\nbob@x.example,silver\r\n');
  const rows = [
    'Ann@X.example ,Ann,"gold, ""best""",Rome',
    'nobody,x,y,z',
    'b@x.example,short',
    'bob@x.example,Bob,,"New\nYork"',
  ];
  await warehouse.put(team, '1.csv', `\ufeffemail,First_Name,plan,city\n${rows.join('\n')}\n`);
  await warehouse.put(team, '_SUCCESS', 'no rows');
  const { id, campaign, imported, messages } = await sent(team, '<p>{{plan}}|{{metadata.city}}</p>');
  expect(campaign).toMatchObject({ status: 'sent', total_recipients: 2, sent_count: 2 });
  expect(imported).toMatchObject({
    status: 'imported',
    objects: 2,
    rows: 5,
    accepted: 2,
    duplicates: 1,
    bad_rows: 2,
    problems: [
      { object: `teams/${team.id}/1.csv`, line: 3, reason: 'not an email address: it has no local part before an @' },
      { object: `teams/${team.id}/1.csv`, line: 4, reason: 'has 2 fields where the header has 4' },
    ],
  });
  expect(await recipientsOf(team, id)).toEqual([
    ['ann@x.example', null, 'sent'],
    ['bob@x.example', null, 'sent'],
  ]);
  expect(messages.get('ann@x.example')).toMatchObject({ subject: 'Hello Ann' });
  expect(messages.get('ann@x.example')!.html).toContain('gold, &#34;best&#34;|Rome');
  // The last row of an address wins, entirely: it has no name and no city.
  expect(messages.get('bob@x.example')).toMatchObject({ subject: 'Hello there' });
  expect(messages.get('bob@x.example')!.html).toContain('silver|');
});

it('continues after a row with unmatched quotes when all fields are quoted', async () => {
  const team = await teamWith();
  await warehouse.put(team, '1.csv', '"email","plan"\n"a@x.example","gold\n"b@x.example","silver"\n"c@x.example\n');
  const { campaign, imported } = await sent(team);
  expect(campaign).toMatchObject({ status: 'sent', sent_count: 1 });
  expect(imported.problems.map(({ line, reason }: { line: number; reason: string }) => [line, reason])).toEqual([
    [2, 'has quotes that do not match'],
    [4, 'has a quote that is not closed'],
  ]);
});

it('removes the rows of an erased person', async () => {
  const team = await teamWith();
  const people = ['first@x.example', 'last@x.example', 'other@x.example'];
  await warehouse.put(team, '1.csv', `email,secret\n${people.map((email) => `${email},1`).join('\n')}\n`);
  await warehouse.put(team, '2.csv', 'email,secret\nfirst@x.example,2\n');
  for (const email of people) await team.api('POST', '/contacts', { email });
  const { id, messages } = await sent(team, '{{secret}}');
  expect(await rowsOf(team, id)).toEqual([people, ['first@x.example'], people]);
  // The first address of a chunk is in its key.
  for (const email of ['first@x.example', 'last@x.example'])
    expect((await team.api('POST', `/contacts/${encodeURIComponent(email)}/erase`)).status).toBe(200);
  await idle(stack.origin);
  expect(await rowsOf(team, id)).toEqual([['other@x.example'], ['other@x.example']]);
  expect(await recipientsOf(team, id)).toContainEqual([null, null, 'sent']);
  // The link alone still knows the address.
  const link = linkIn(messages.get('first@x.example')!.html);
  expect((await call(link, 'POST')).body).toContain('You are unsubscribed');
  expect((await team.api('GET', '/suppressions?email=first@x.example')).body.data).toMatchObject([
    { reason: 'unsubscribe', campaign_id: null },
  ]);
});

it('is launchable, without an estimate, only for a team that has a source', async () => {
  const bare = await newTeam({ origin: stack.origin });
  const blocked = await warehouseCampaign(bare);
  const { body: refused } = await bare.api('POST', `/campaigns/${blocked}/preflight`);
  expect(refused.data).toMatchObject({ launchable: false, blockers: ['warehouse_not_configured'] });
  expect((await bare.api('POST', `/campaigns/${blocked}/send`)).body.blockers).toEqual(['warehouse_not_configured']);
  const team = await teamWith();
  const ready = await warehouseCampaign(team, '', { audience_filters: { company: 'Nobody' } });
  const { body } = await team.api('POST', `/campaigns/${ready}/preflight`);
  expect(body.data).toMatchObject({ launchable: true, blockers: [], estimated_recipients: null });
  const { body: before } = await team.api('GET', `/campaigns/${ready}/audience-import`);
  expect(before.data).toMatchObject({ status: 'none', rows: 0, started_at: null, problems: [] });
});

it('narrows a list audience by filters, and not an export', async () => {
  const team = await teamWith();
  await warehouse.put(team, '1.csv', 'email\na@x.example\n');
  const { campaign } = await sent(team, '', { audience_filters: { company: 'Nobody' } });
  expect(campaign).toMatchObject({ status: 'sent', sent_count: 1 });
});

it.each<[string, Record<string, string | Buffer>, string | RegExp]>([
  ['the prefix holds no object', {}, 'audience_empty'],
  ['it has a header only', { '1.csv': 'email\n' }, 'audience_empty'],
  ['all its rows are bad', { '1.csv': 'email\nx\ny\n' }, 'audience_empty'],
  [
    'a column is missing',
    { '1.csv': 'email\na@x.example\n', '2.csv': 'mail\nb@x.example\n' },
    /2\.csv has no column "email"/,
  ],
  [
    'it is no whole gzip',
    { '1.csv': gzipSync(`email\n${'a@x.example\n'.repeat(99)}`).subarray(0, -20) },
    /1\.csv is not a whole gzip/,
  ],
])('fails before any message, with the reason, when %s', async (_what, objects, reason) => {
  const team = await teamWith();
  for (const [name, body] of Object.entries(objects)) await warehouse.put(team, name, body);
  const { campaign, imported, messages } = await sent(team);
  expect(campaign).toMatchObject({ status: 'failed', total_recipients: 0 });
  expect(campaign.failure_reason).toMatch(reason);
  expect(imported).toMatchObject({ status: 'failed', failure_reason: campaign.failure_reason });
  expect(messages.size).toBe(0);
});

it("runs a team's query through the workflow when a campaign is sent, and mails its result", async () => {
  const query = 'SELECT email, plan FROM crm.people';
  const team = await teamWith({ query });
  await control(
    'POST',
    '/queries',
    { sql: query, csv: '"email","plan"\n"a@x.example","gold"\n"b@x.example",\n' },
    stack.origin,
  );
  const { campaign, imported, messages } = await sent(team, '<p>{{plan | default: "none"}}</p>');
  expect(campaign).toMatchObject({ status: 'sent', sent_count: 2 });
  expect(imported).toMatchObject({ status: 'imported', objects: 1, rows: 2, accepted: 2 });
  expect(messages.get('a@x.example')!.html).toContain('<p>gold</p>');
  expect(messages.get('b@x.example')!.html).toContain('<p>none</p>');
});

it('fails, with the reason, when the query fails', async () => {
  const team = await teamWith({ query: 'SELECT nothing' });
  const { campaign, imported } = await sent(team);
  expect(campaign.status).toBe('failed');
  expect(campaign.failure_reason).toMatch(/^the query failed: The local stack has no SQL engine/);
  expect(imported).toMatchObject({ status: 'failed', objects: 0 });
});

it('fails, and says so, when the query scans more than the stage allows', async () => {
  const query = 'SELECT * FROM crm.everything';
  const team = await teamWith({ query });
  const result = { sql: query, csv: '"email"\n"a@x.example"\n', scanned_bytes: 1_000e9 + 1 };
  await control('POST', '/queries', result, stack.origin);
  const { campaign, messages } = await sent(team);
  expect(campaign.failure_reason).toMatch(/^the query failed: it scans more data than this installation allows/);
  expect(messages.size).toBe(0);
});
