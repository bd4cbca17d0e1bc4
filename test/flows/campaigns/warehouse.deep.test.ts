import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { finished, messagesOf } from '../../support/campaign.ts';
import { control, newTeam } from '../../support/team.ts';
import { warehouseCampaign } from '../../support/warehouse.ts';
import { sent, stack, teamWith, warehouse } from './warehouse.setup.ts';

it('holds an unusually large audience for an operator, and reads the export again after an edit', async () => {
  const team = await teamWith();
  const team_id = team.id;
  const people = Array.from({ length: 10_001 }, (_, index) => `p${index}@x.example`);
  const held = async () => {
    await warehouse.put(team, '1.csv', `email\n${people.join('\n')}\n`);
    const { id, campaign, imported } = await sent(team);
    expect(campaign).toMatchObject({ status: 'held', total_recipients: 0 });
    expect(campaign.failure_reason).toMatch(/^held for review: an audience of more than 10000/);
    expect(imported.accepted).toBe(10_001);
    return id;
  };
  const edited = await held();
  await warehouse.put(team, '1.csv', 'email\np7@x.example\nnew@x.example\n');
  expect((await team.api('PATCH', `/campaigns/${edited}`, { name: 'Smaller' })).body.data.status).toBe('draft');
  expect((await team.api('POST', `/campaigns/${edited}/send`)).status).toBe(200);
  expect(await finished(team, edited, stack.origin)).toMatchObject({ status: 'sent', total_recipients: 2 });
  const { body } = await team.api('GET', `/campaigns/${edited}/audience-import`);
  expect(body.data).toMatchObject({ status: 'imported', rows: 2, accepted: 2, duplicates: 0 });
  const messages = await messagesOf(team, edited, stack.origin);
  expect([...messages.keys()].sort()).toEqual(['new@x.example', 'p7@x.example']);
  const released = await held();
  await warehouse.operate('campaign release', { team_id, campaign_id: released });
  for (;;) {
    const { data } = (await team.api('GET', `/campaigns/${released}`)).body;
    if (data.status === 'queuing') continue;
    expect(data).toMatchObject({ status: 'sending', total_recipients: 10_001 });
    break;
  }
  await warehouse.operate('team suspend', { team_id });
}, 240_000);

it('reads JSON lines and gzip, object by object, by the configured columns', async () => {
  const team = await teamWith({ format: 'jsonl', email_column: 'Address', first_name_column: 'given' });
  await warehouse.put(team, 'a.json', '{"address":"a@x.example","given":"Ann","seats":3}\n{"address":"b@x.example"}\n');
  await warehouse.put(team, 'b.json.gz', gzipSync('{"address":"C@x.example","seats":4}\nnot json\n[1]\n'));
  const { campaign, imported, messages } = await sent(team, '<p>{{seats | default: "no"}} seats</p>');
  expect(campaign).toMatchObject({ status: 'sent', sent_count: 3 });
  expect(imported).toMatchObject({ accepted: 3, bad_rows: 2, duplicates: 0 });
  expect(imported.problems.map(({ line, reason }: { line: number; reason: string }) => [line, reason])).toEqual([
    [2, 'is not JSON'],
    [3, 'is not a JSON object'],
  ]);
  expect(messages.get('a@x.example')!.subject).toBe('Hello Ann');
  expect(messages.get('a@x.example')!.html).toContain('3 seats');
  expect(messages.get('b@x.example')!.html).toContain('no seats');
  expect(messages.get('c@x.example')!.html).toContain('4 seats');
});

it('mails an address once that appears in several spellings and objects', async () => {
  const team = await teamWith();
  await warehouse.put(team, '1.csv', 'email\nann@x.example\nANN@X.EXAMPLE\n ann@x.example \n');
  await warehouse.put(team, '2.csv.gz', gzipSync('email\nAnn@x.example\nbob@x.example'));
  const { campaign, imported, messages } = await sent(team);
  expect(campaign.total_recipients).toBe(2);
  expect(imported).toMatchObject({ rows: 5, accepted: 2, duplicates: 3, bad_rows: 0 });
  expect([...messages.keys()].sort()).toEqual(['ann@x.example', 'bob@x.example']);
});

it('fails, with the reason, when the object names are too long together', async () => {
  const team = await teamWith();
  for (let index = 0; index < 460; index++) await warehouse.put(team, `${'x'.repeat(900)}-${index}.csv`, 'email\n');
  const { campaign } = await sent(team);
  expect(campaign).toMatchObject({ status: 'failed', total_recipients: 0 });
  expect(campaign.failure_reason).toMatch(/names have more than 300 KB together$/);
});

it('fails, naming the object, when one is replaced, added or removed while the export is read', async () => {
  const content = (name: string) => `email\n${name}@x.example\n`;
  for (const change of ['replaced', 'added', 'removed']) {
    const team = await teamWith();
    await warehouse.put(team, '1.csv', content('one'));
    await warehouse.put(team, '2.csv', content('two'));
    const id = await warehouseCampaign(team);
    // The import has listed the objects and cannot read them yet.
    await control('POST', '/faults', { service: 's3', operation: 'GetObject', error: 'SlowDown' }, stack.origin);
    await team.api('POST', `/campaigns/${id}/send`);
    for (;;) {
      const { body } = await team.api('GET', `/campaigns/${id}/audience-import`);
      if (body.data.status !== 'none') break;
    }
    if (change === 'replaced') await warehouse.put(team, '1.csv', content('other'));
    if (change === 'added') await warehouse.put(team, '3.csv', content('three'));
    if (change === 'removed') await warehouse.remove(team, '2.csv');
    await control('DELETE', '/faults', undefined, stack.origin);
    const campaign = await finished(team, id, stack.origin);
    expect(campaign, change).toMatchObject({ status: 'failed', total_recipients: 0 });
    const changed = { replaced: '1.csv', added: '3.csv', removed: '2.csv' }[change]!;
    expect(campaign.failure_reason).toContain(`teams/${team.id}/${changed}`);
    expect((await messagesOf(team, id, stack.origin)).size).toBe(0);
  }
});

it("refuses an unreadable source or another team's, and shows and removes the current one", async () => {
  const team = await newTeam({ origin: stack.origin });
  const team_id = team.id;
  const refused = async (input: object) =>
    (await warehouse.operate('warehouse set', { team_id, ...input })).error.message;
  expect(await refused({ bucket: 'somebody-elses', prefix: 'x/' })).toMatch(/may not be read|no such bucket/);
  expect(await refused({ bucket: 'somebody-elses' })).toContain('a prefix is required');
  expect(await refused({ prefix: 'teams/1/' })).toContain(`begins with teams/${team_id}/`);
  expect((await warehouse.operate('warehouse show', { team_id })).error.code).toBe('not_found');
  await warehouse.operate('warehouse set', { team_id, email_column: 'mail' });
  await warehouse.put(team, '1.csv', 'email,plan\na@x.example,gold\n');
  expect(await refused({ email_column: 'mail' })).toContain('has no column "mail"');
  const set = await warehouse.operate('warehouse set', { team_id });
  expect(set).toMatchObject({ objects: 1, header: ['email', 'plan'], rows_tried: 1, bad_rows: 0 });
  expect(await warehouse.operate('warehouse show', { team_id })).toMatchObject({
    prefix: `teams/${team_id}/`,
    format: 'csv',
  });
  await warehouse.operate('warehouse remove', { team_id });
  expect((await warehouse.operate('warehouse show', { team_id })).error.code).toBe('not_found');
});
