import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Warehouse, warehouseOf } from '../support/warehouse.ts';
import type { BenchStack } from './bench-stack.ts';
import { accepted } from './requests.ts';
import { type Result, round, usedBy } from './results.ts';

const pollMilliseconds = 100;
const html_content = '<p>{{plan}}</p><a href="{{unsubscribe_url}}">Unsubscribe</a>';

/** The speed of reading an export, and the growth of the stack's process, which must not depend on the size. */
export async function measureImport(stack: BenchStack, rows: number): Promise<Result[]> {
  const warehouse = warehouseOf(stack.dataFolder());
  // The first run warms up the client.
  await readExport(stack, warehouse, rows);
  const small = await readExport(stack, warehouse, rows / 5);
  const large = await readExport(stack, warehouse, rows);
  let seconds = 0;
  const metered = await stack.metered(async () => {
    ({ seconds } = await readExport(stack, warehouse, rows / 5));
  });
  const { capacity } = usedBy(metered, 'advance-campaign');
  const grown = ({ before, peak }: { before: number; peak: number }) => Math.max(0, peak - before);
  return [
    {
      what: 'a row of a warehouse export, read and put into the snapshot',
      figure: capacity.write / (rows / 5),
      unit: 'write units',
      atMost: 0.5,
      details: `${round(rows / 5)} rows in ${round(seconds)} s; ${round(capacity.read / (rows / 5))} read units each`,
    },
    {
      what: 'reading a warehouse export',
      figure: rows / large.seconds,
      unit: 'rows/s',
      details: `${round(rows)} rows`,
    },
    {
      what: 'memory taken by reading it',
      figure: grown(large),
      unit: 'MB',
      details: `of ${round(large.peak)} MB; ${round(grown(small))} MB for ${round(rows / 5)} rows`,
    },
  ];
}

/** One import for a new team, which is then suspended, so that only the reading is measured. */
async function readExport(stack: BenchStack, warehouse: Warehouse, rows: number) {
  const domain = `warehouse-${rows}-${Date.now()}.example`;
  const { body: team } = await stack.call('POST', '/_local/teams', {
    name: 'Warehouse',
    plan: 'enterprise',
    domains: [domain],
  });
  const call = async (method: string, path: string, body?: unknown) =>
    accepted(stack.call(method, path, body, { authorization: `Bearer ${team.api_key}` }));
  await warehouse.operate('warehouse set', { team_id: team.team_id });
  const lines = Array.from(
    { length: rows },
    (_, at) => `p${(at * 7_919) % rows}@example.com,Name ${at},annual,Rome,${at}`,
  );
  await warehouse.put({ id: team.team_id }, 'part.csv', `email,first_name,plan,city,number\n${lines.join('\n')}\n`);
  const fields = { name: 'Bench', subject: 'Hello', from_email: `news@${domain}`, audience_source: 'warehouse' };
  const { id } = await call('POST', '/campaigns', fields);
  await call('PUT', `/campaigns/${id}/content`, { html_content });
  await stack.idle();
  const before = megabytesOf(stack);
  let peak = before;
  await call('POST', `/campaigns/${id}/send`);
  for (;;) {
    await sleep(pollMilliseconds);
    peak = Math.max(peak, megabytesOf(stack));
    const { status, body } = await stack.call('GET', `/campaigns/${id}/audience-import`, undefined, {
      authorization: `Bearer ${team.api_key}`,
    });
    if (status !== 200 || body.data.status !== 'imported') continue;
    while ((await call('GET', `/campaigns/${id}`)).status === 'queuing') await sleep(pollMilliseconds);
    await warehouse.operate('team suspend', { team_id: team.team_id });
    await stack.idle();
    const { started_at, finished_at } = body.data;
    return { before, peak, seconds: (Date.parse(finished_at) - Date.parse(started_at)) / 1000 };
  }
}

function megabytesOf(stack: BenchStack): number {
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(stack.pid())], { encoding: 'utf8' })) / 1024;
}
