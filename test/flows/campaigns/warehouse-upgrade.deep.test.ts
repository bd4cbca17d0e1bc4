import { expect, it } from 'vitest';
import { finished, idle, messagesOf } from '../../support/campaign.ts';
import { rawTable } from '../../support/table.ts';
import { control, type Team } from '../../support/team.ts';
import { warehouseCampaign } from '../../support/warehouse.ts';
import { data, stack, teamWith, warehouse } from './warehouse.setup.ts';

const ttl = Math.floor(Date.now() / 1000) + 86_400;

/** A campaign whose import an earlier version has begun, which stored a row as an item; S3 fails until `goOn`. */
async function begunBefore(team: Team, rows: string[], progress: object): Promise<number> {
  await control('POST', '/faults', { service: 's3', operation: 'GetObject', error: 'SlowDown', rate: 1 }, stack.origin);
  const id = await warehouseCampaign(team, '{{number}}');
  expect((await team.api('POST', `/campaigns/${id}/send`)).status).toBe(200);
  const table = await rawTable(data);
  const campaign = `TEAM#${team.id}#CAMPAIGN#${id}`;
  const begun = async () => (await table.partition(campaign)).find(({ sk }) => sk === 'IMPORT');
  await expect.poll(begun, { timeout: 30_000 }).toBeDefined();
  const { runs, ...item } = (await begun())!;
  expect(runs).toEqual([]);
  const singles = rows.map((row, index) => {
    const [email, number] = row.split(',');
    const sk = `${email} ${String(index).padStart(12, '0')}`;
    return { pk: `${campaign}#ROWS`, sk, metadata: { number }, ttl };
  });
  // The step that is under way finds that another one has moved on.
  const version = Number(item.version) + 1;
  await table.write([{ ...item, version, rows: rows.length, ...progress }, ...singles]);
  return id;
}

async function goOn(team: Team, id: number) {
  await control('DELETE', '/faults', undefined, stack.origin);
  await idle(stack.origin);
  const campaign = await finished(team, id, stack.origin);
  const imported = await team.data('GET', `/campaigns/${id}/audience-import`);
  const messages = await messagesOf(team, id, stack.origin);
  const numbers = [...messages].map(
    ([email, { html }]) => `${email} ${/^\d+/.exec(html.replace(/<[^>]*>/g, ''))?.[0]}`,
  );
  return { campaign, imported, numbers: numbers.sort() };
}

it('imports exactly what an earlier version had begun to read', async () => {
  const team = await teamWith();
  const rows = ['b@x.example,1', 'a@x.example,2', 'b@x.example,3', 'bad row', 'c@x.example,5'];
  await warehouse.put(team, '1.csv', `email,number\n${rows.join('\n')}\n`);
  const offset = 'email,number\n'.length + rows.slice(0, 2).join('\n').length + 1;
  const cursor = { object: 0, offset, line: 4, header: ['email', 'number'] };
  const id = await begunBefore(team, rows.slice(0, 2), { cursor });
  const { campaign, imported, numbers } = await goOn(team, id);
  expect(campaign).toMatchObject({ status: 'sent', total_recipients: 3 });
  expect(imported).toMatchObject({ rows: 5, accepted: 3, bad_rows: 1, duplicates: 1 });
  expect(numbers).toEqual(['a@x.example 2', 'b@x.example 3', 'c@x.example 5']);
});

it('mails what an earlier version had imported, with its values', async () => {
  const team = await teamWith();
  await warehouse.put(team, '1.csv', 'email,number\nz@x.example,9\n');
  const done = { status: 'imported', accepted: 2, finished_at: new Date().toISOString().replace('Z', '+00:00') };
  const id = await begunBefore(team, ['b@x.example,1', 'a@x.example,2', 'b@x.example,3'], done);
  const { campaign, numbers } = await goOn(team, id);
  expect(campaign).toMatchObject({ status: 'sent', total_recipients: 2 });
  expect(numbers).toEqual(['a@x.example 2', 'b@x.example 3']);
});
