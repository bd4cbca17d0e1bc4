import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { finished, messagesOf } from '../../support/campaign.ts';
import { rawTable } from '../../support/table.ts';
import { call, control, newTeam } from '../../support/team.ts';
import { warehouseCampaign } from '../../support/warehouse.ts';
import { data, linkIn, recipientsOf, sent, stack, teamWith, warehouse } from './warehouse.setup.ts';

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

it('mails active contacts, and none that unsubscribed, bounced, is unconfirmed or suppressed', async () => {
  const team = await teamWith();
  const made = async (email: string, fields: object = {}) =>
    (await team.api('POST', '/contacts', { email, ...fields })).body.data.id as number;
  const known = await made('known@x.example', {
    first_name: 'Own',
    last_name: 'Name',
    metadata: { plan: 'own', city: 'Rome' },
  });
  const gone = await made('gone@x.example');
  await team.api('PATCH', `/contacts/${gone}`, { status: 'unsubscribed' });
  const deleted = await made('deleted@x.example');
  await team.api('PATCH', `/contacts/${deleted}`, { status: 'unsubscribed' });
  await team.api('DELETE', `/contacts/${deleted}`);
  await team.api('DELETE', `/contacts/${await made('removed@x.example', { first_name: 'Old' })}`);
  await made('pending@x.example', { status_if_new: 'pending' });
  await team.api('POST', '/suppressions', { email: 'suppressed@x.example', reason: 'manual' });
  const emails = ['known', 'gone', 'deleted', 'removed', 'pending', 'suppressed', 'new'];
  await warehouse.put(
    team,
    'all.csv',
    `email,first_name,plan\n${emails.map((name) => `${name}@x.example,,gold`).join('\n')}\n`,
  );
  const { id, campaign, imported, messages } = await sent(team, '<p>{{last_name}}|{{plan}}|{{city}}</p>');
  expect(campaign).toMatchObject({ status: 'sent', total_recipients: 4, sent_count: 3 });
  expect(imported.accepted).toBe(7);
  expect(await recipientsOf(team, id)).toEqual([
    ['known@x.example', known, 'sent'],
    ['new@x.example', null, 'sent'],
    ['removed@x.example', null, 'sent'],
    ['suppressed@x.example', null, 'suppressed'],
  ]);
  // The export's value, or the contact's where the export has none.
  expect(messages.get('known@x.example')).toMatchObject({ subject: 'Hello Own' });
  expect(messages.get('known@x.example')!.html).toContain('Name|gold|Rome');
  expect(messages.get('removed@x.example')!.subject).toBe('Hello there');
});

it('unsubscribes a reader who is not a contact, with one click, from every later export', async () => {
  const team = await teamWith();
  await warehouse.put(team, '1.csv', 'email\nreader@x.example\nstays@x.example\n');
  const first = await sent(team);
  const message = first.messages.get('reader@x.example')!;
  const link = linkIn(message.html);
  expect(message.headers['List-Unsubscribe']).toBe(`<${link}>`);
  expect(link).not.toContain('reader');
  const shown = await call(link);
  expect(shown.body).toContain('reader@x.example');
  expect((await team.api('GET', '/suppressions')).body.data).toEqual([]);
  const clicked = await call(link, 'POST', 'List-Unsubscribe=One-Click', {
    'content-type': 'application/x-www-form-urlencoded',
  });
  expect(clicked.body).toContain('You are unsubscribed');
  expect((await call(link)).body).toContain('You are unsubscribed');
  const { body } = await team.api('GET', '/suppressions');
  expect(body.data).toMatchObject([{ email: 'reader@x.example', reason: 'unsubscribe' }]);
  const { body: events } = await team.api('GET', `/events?campaign_id=${first.id}&event=unsubscribed`);
  expect(events.data).toMatchObject([{ email: 'reader@x.example', contact_id: null, source: 'one_click' }]);
  const second = await sent(team);
  expect([...second.messages.keys()]).toEqual(['stays@x.example']);
  const report = await team.api('GET', `/campaigns/${first.id}/report`);
  expect(report.body.data.metrics.unsubscribed).toBe(1);
});

it('a link made before its reader became a contact unsubscribes the contact', async () => {
  const team = await teamWith();
  await warehouse.put(team, '1.csv', 'email\nreader@x.example\n');
  const { messages } = await sent(team);
  await team.api('POST', '/contacts', { email: 'reader@x.example' });
  await call(linkIn(messages.get('reader@x.example')!.html), 'POST');
  const { body } = await team.api('GET', '/contacts/reader%40x.example');
  expect(body.data.status).toBe('unsubscribed');
});

it('checks the allowance once the size of the audience is known', async () => {
  const team = await newTeam({ origin: stack.origin, plan: 'business' });
  await warehouse.operate('warehouse set', { team_id: team.id });
  await warehouse.put(team, '1.csv', 'email\na@x.example\n');
  await warehouse.put(team, '2.csv', 'email\nb@x.example\n');
  const month = new Date().toISOString().slice(0, 7);
  await (await rawTable(data)).write([{ pk: `TEAM#${team.id}`, sk: `USAGE#${month}`, emails: 999_999 }]);
  const { campaign, messages } = await sent(team);
  expect(campaign).toMatchObject({ status: 'failed', failure_reason: 'plan_allowance_exceeded' });
  expect(messages.size).toBe(0);
  await warehouse.remove(team, '2.csv');
  expect((await sent(team)).campaign).toMatchObject({ status: 'sent', sent_count: 1 });
});
