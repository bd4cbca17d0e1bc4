import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import * as events from '../../../shared/data/feedback/event-listing.ts';
import { type ListedEvent, view } from '../../../shared/data/feedback/listed-event.ts';
import { type Direction, readPage } from '../../../shared/data/paging.ts';
import { everyRow, finished, readyCampaign, rows } from '../../support/campaign.ts';
import { awsOf, type Stack, startStack } from '../../support/stack.ts';
import { rawTable } from '../../support/table.ts';
import { newTeam, type Team } from '../../support/team.ts';

const folder = mkdtempSync(join(tmpdir(), 'mailwright-listing-'));
let stack: Stack;
let team: Team;
let campaign: number;

beforeAll(async () => {
  stack = await startStack({ data: folder });
  team = await newTeam({ origin: stack.origin });
  ({ campaign } = await readyCampaign(team, rows(60)));
  await team.api('POST', `/campaigns/${campaign}/send`);
  await finished(team, campaign, stack.origin);
  const { endpoint, region, credentials } = awsOf(folder);
  const { TableNames } = await new DynamoDBClient(awsOf(folder)).send(new ListTablesCommand());
  vi.stubEnv('TABLE_NAME', TableNames![0]!);
  vi.stubEnv('AWS_ENDPOINT_URL_DYNAMODB', endpoint);
  vi.stubEnv('AWS_REGION', region);
  vi.stubEnv('AWS_ACCESS_KEY_ID', credentials.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', credentials.secretAccessKey);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await stack?.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('lists every event once, forwards and backwards, when the deadline passes at every step', async () => {
  const over = 0;
  const filters: events.EventFilter[] = [
    {},
    { campaign_id: campaign },
    ...(['queued', 'sent', 'delivered', 'bounced'] as const).map((event) => ({ event })),
    { event: 'sent', campaign_id: campaign },
  ];
  for (const filter of filters) {
    const query = Object.entries(filter).map(([name, value]) => `${name}=${value}`);
    const wanted = await everyRow(team, `/events?${query.join('&')}`);
    const read = async (direction: Direction, start: string | undefined) => {
      const found: ListedEvent[] = [];
      let [from, pages] = [start, 0];
      do {
        const page = await readPage(events.list(team.id, filter), direction, from, 7, { deadline: over });
        if (direction === 'forward') found.push(...page.items);
        else found.unshift(...page.items);
        from = direction === 'forward' ? page.next : page.prev;
        expect(++pages).toBeLessThan(500);
      } while (from !== undefined);
      return found.map(view);
    };
    expect(await read('forward', undefined)).toEqual(wanted);
    expect(await read('backward', '0#')).toEqual(wanted);
  }
});

// DynamoDB does not expire items whose TTL is more than five years in the past.
it('keeps an event that came too old to be listed for 180 days from then on, not forever', async () => {
  const email = 'old@example.com';
  for (const occurred_at of ['0001-01-01', '1969-12-31', '2019-01-01'])
    await team.api('POST', '/events', { events: [{ email, event: 'dropped', metadata: { occurred_at } }] });
  const stored = await (await rawTable(folder)).naming(email);
  expect(stored).toHaveLength(3);
  for (const { ttl } of stored) expect(Math.round(Number(ttl) / 86_400 - Date.now() / 86_400_000)).toBe(180);
});
