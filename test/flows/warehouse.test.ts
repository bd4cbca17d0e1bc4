import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everyRow, finished, messagesOf } from '../support/campaign.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { newTeam, type Team } from '../support/team.ts';
import { type Warehouse, warehouseOf } from '../support/warehouse.ts';

const data = mkdtempSync(join(tmpdir(), 'mailwright-warehouse-'));
let stack: Stack;
let warehouse: Warehouse;

beforeAll(async () => {
  stack = await startStack({ data });
  warehouse = warehouseOf(data);
});
afterAll(async () => {
  await stack?.stop();
  rmSync(data, { recursive: true, force: true });
});

async function warehouseCampaign(team: Team, fields: object = {}): Promise<number> {
  const { body } = await team.api('POST', '/campaigns', {
    name: 'Export',
    subject: 'Hello {{first_name | default: "there"}}',
    from_email: `news@${team.domain}`,
    audience_source: 'warehouse',
    ...fields,
  });
  const { id } = body.data;
  const html_content =
    '<p>{{first_name}} {{last_name}} {{plan}} {{city}}</p><a href="{{unsubscribe_url}}">Unsubscribe</a>';
  await team.api('PUT', `/campaigns/${id}/content`, { html_content });
  return id;
}

it('mails', async () => {
  const team = await newTeam({ origin: stack.origin });
  console.log(await warehouse.operate('warehouse set', { team_id: team.id }));
  await warehouse.put(
    team,
    'a.csv',
    '\ufeffEmail,First_Name,plan\r\na@x.example,Ann,"gold, ""best"""\r\nnot an address,x,y\r\nB@x.example ,Bob,\r\n',
  );
  console.log(await warehouse.operate('warehouse show', { team_id: team.id }));
  const id = await warehouseCampaign(team);
  console.log((await team.api('POST', `/campaigns/${id}/preflight`)).body);
  console.log((await team.api('POST', `/campaigns/${id}/send`)).body);
  console.log(await finished(team, id, stack.origin));
  console.log(await everyRow(team, `/campaigns/${id}/recipients`));
  console.log([...(await messagesOf(team, id, stack.origin)).values()].map((m) => [m.to, m.subject, m.html]));
  expect(1).toBe(1);
});
