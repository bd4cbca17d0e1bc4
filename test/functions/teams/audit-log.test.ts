import { randomUUID } from 'node:crypto';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import {
  BatchWriteCommand,
  DeleteCommand,
  DynamoDBDocumentClient,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { type OperatorCommand, operatorCommands } from '../../../functions/operator-commands.ts';
import * as campaigns from '../../../shared/data/campaigns/campaigns.ts';
import { keys } from '../../../shared/data/keys.ts';
import * as table from '../../../shared/data/table.ts';
import { auditWrite, record } from '../../../shared/data/teams/audit-log.ts';
import type { Actor } from '../../../shared/domain/actor.ts';
import { type AuditAction, auditActions } from '../../../shared/domain/teams/audit.ts';
import { everyRow, readyCampaign, rows } from '../../support/campaign.ts';
import { useSharedTable } from '../../support/data.ts';
import { operate } from '../../support/operate.ts';
import { awsOf } from '../../support/stack.ts';
import { rawTable } from '../../support/table.ts';
import { keyWith, newTeam, type Team } from '../../support/team.ts';

useSharedTable();

const hook = { url: 'https://93.184.215.14/secret-path', events: ['webhook.test'], description: 'For ann@example.com' };
const email = 'ann@example.com';
const longAgo = () => new Date(Date.now() - 7 * 3_600_000).toISOString();

let team: Team;
/** What the actions are done to; each has records of its own. */
let made: Record<string, number>;

beforeAll(async () => {
  team = await newTeam();
  const add = async (path: string, body: unknown): Promise<number> => (await team.data('POST', path, body)).id;
  const campaign = async () => (await readyCampaign(team, rows(1))).campaign;
  const forced = async (status: string, attributes = {}) => {
    const id = await campaign();
    await campaigns.change(team.id, id, ['draft'], { ...attributes, status: status as 'paused', run: 1 });
    return id;
  };
  await team.data('POST', '/suppressions', { email, reason: 'manual' });
  made = {
    key: await add('/api-keys', { name: 'Old' }),
    webhook: await add('/webhooks', hook),
    contact: await add('/contacts', { email: 'erased@example.com' }),
    draft: await campaign(),
    planned: await campaign(),
    unwanted: await campaign(),
    sending: await forced('sending'),
    paused: await forced('paused'),
    held: await forced('held'),
    refused: await forced('held'),
    partial: await forced('partial', { ended_at: longAgo() }),
  };
  const counts = { sent: 0, failed: 0, suppressed: 0, unknown_count: 1 };
  await table.put({ Item: { ...keys.sendStats(team.id, made.partial!, 0), ...counts } });
});

/** Every action of a key: its request, and the target in the log. */
const requests: Partial<Record<AuditAction, () => [method: string, path: string, body?: unknown]>> = {
  'api_key.created': () => ['POST', '/api-keys', { name: 'New' }],
  'api_key.revoked': () => ['DELETE', `/api-keys/${made.key}`],
  'sending_domain.added': () => ['POST', '/sending-domains', { domain: `new-${team.domain}` }],
  'sending_domain.changed': () => [
    'POST',
    '/sending-domains',
    { domain: `new-${team.domain}`, mail_from_subdomain: 'post' },
  ],
  'sending_domain.removed': () => ['DELETE', `/sending-domains/new-${team.domain}`],
  'webhook.created': () => ['POST', '/webhooks', hook],
  'webhook.updated': () => ['PATCH', `/webhooks/${made.webhook}`, { url: `${hook.url}/other`, is_active: false }],
  'webhook.secret_rotated': () => ['POST', `/webhooks/${made.webhook}/rotate-secret`],
  'webhook.deleted': () => ['DELETE', `/webhooks/${made.webhook}`],
  'suppression.removed': () => ['DELETE', '/suppressions', { email }],
  'contact.erased': () => ['POST', `/contacts/${made.contact}/erase`],
  'campaign.sent': () => ['POST', `/campaigns/${made.draft}/send`],
  'campaign.scheduled': () => ['POST', `/campaigns/${made.planned}/schedule`, { send_at: '2031-01-01T00:00:00Z' }],
  'campaign.cancelled': () => ['POST', `/campaigns/${made.unwanted}/cancel`],
  'campaign.paused': () => ['POST', `/campaigns/${made.sending}/pause`],
  'campaign.resumed': () => ['POST', `/campaigns/${made.paused}/resume`],
  'campaign.resent': () => ['POST', `/campaigns/${made.partial}/resend-unknown`],
  'campaign.report_shared': () => ['POST', `/campaigns/${made.draft}/report/share`, {}],
  'campaign.report_revoked': () => ['DELETE', `/campaigns/${made.draft}/report/share`],
};

type Command = [command: OperatorCommand, input: object, action: AuditAction];

/** Every command that changes something; the two lists have every action of the log between them. */
const commands = (): Command[] => {
  const own = { team_id: team.id };
  const bounced = { email: `bounced-${team.id}@example.com`, platform: true };
  return [
    ['team plan', { ...own, plan: 'business' }, 'team.plan_changed'],
    ['team suspend', own, 'team.suspended'],
    ['team unsuspend', own, 'team.unsuspended'],
    ['key create', { ...own, name: 'By ann@example.com' }, 'api_key.created'],
    ['domain add', { ...own, domain: `second-${team.domain}` }, 'sending_domain.added'],
    ['campaign release', { ...own, campaign_id: made.held }, 'campaign.released'],
    ['campaign refuse', { ...own, campaign_id: made.refused, reason: 'Spam' }, 'campaign.refused'],
    ['campaign resume', { ...own, campaign_id: made.sending }, 'campaign.resumed'],
    ['warehouse set', { ...own, query: "SELECT 'ann@example.com'" }, 'warehouse.set'],
    ['warehouse remove', own, 'warehouse.removed'],
    ['suppression add', bounced, 'platform_suppression.added'],
    ['suppression remove', { ...bounced, reason: 'A mistake' }, 'platform_suppression.removed'],
    ['queue redrive', { queue: 'webhooks' }, 'queue.redriven'],
    ['signing-key rotate', {}, 'signing_key.rotated'],
  ];
};

/** Calls AWS as a function does. */
const functionOf = (folder: string, accessKeyId: string) => ({
  ...awsOf(folder),
  credentials: { accessKeyId, secretAccessKey: 'local' },
});

// biome-ignore lint/suspicious/noExplicitAny: tests read what they know to be there
const log = (query = ''): Promise<any[]> => everyRow(team, `/audit-log${query}`);
/** Ends the sends whose states are made up: they have no page that could be sent. */
const endSends = async () => {
  const status = 'cancelled';
  for (const id of Object.values(made)) await campaigns.change(team.id, id, ['queuing', 'sending'], { status, run: 9 });
};

describe('the audit log', () => {
  it.each(Object.keys(requests) as AuditAction[])(
    'has one row of %s, also when the request is repeated',
    async (action) => {
      const [method, path, body] = requests[action]!();
      const before = await log(`?action=${action}`);
      const headers = { 'idempotency-key': randomUUID() };
      const first = await team.api(method, path, body, headers);
      expect([first.status, first.body.code]).toEqual([200, undefined]);
      const second = await team.api(method, path, body, headers);
      expect(second.headers.get('idempotent-replayed')).toBe('true');
      const [row, ...older] = await log(`?action=${action}`);
      expect(older).toEqual(before);
      expect(row).toMatchObject({
        action,
        actor: { kind: 'key', key_id: expect.any(Number), name: expect.any(String) },
        target: { type: action.split('.')[0], id: expect.any(String) },
        request_id: first.headers.get('x-request-id'),
        ip: '127.0.0.1',
      });
    },
  );

  it('has one row of every command of an operator', async () => {
    const folder = inject('folder');
    const changing = commands();
    for (const [command, input, action] of changing) {
      const own = 'team_id' in input ? { team_id: team.id } : {};
      const rowsOf = async () => (await operate(folder, 'audit list', { ...own, action })).rows;
      const before = (await rowsOf()).map(({ id }: { id: string }) => id);
      const answer = await operate(folder, command, { ...input, operator: 'bob' });
      expect([command, answer.error]).toEqual([command, undefined]);
      const fresh = (await rowsOf()).filter(({ id }: { id: string }) => !before.includes(id));
      const ours = fresh.filter(({ actor }: { actor: Actor }) => actor.name === 'bob');
      expect(ours, command).toHaveLength(1);
      expect(ours[0]).toMatchObject({ actor: { kind: 'operator' }, request_id: expect.any(String), ip: null });
    }
    await endSends();
    const shown: OperatorCommand[] = changing.map(([command]) => command);
    const silent = (Object.keys(operatorCommands) as OperatorCommand[]).filter((name) => !shown.includes(name));
    expect(silent.filter((name) => !/show|list/.test(name))).toEqual(['team create', 'domain verify', 'canary set']);
    const created = await log('?action=team.created');
    expect(created).toMatchObject([{ actor: { kind: 'operator', name: 'operator' }, after: { name: 'Test' } }]);
    expect(await log('?action=sending_domain.checked')).toMatchObject([
      { before: { status: 'pending' }, after: { status: 'verified' } },
    ]);
  });

  it('has no address and no secret, and finds the suppression of an address', async () => {
    const all = await log();
    const text = JSON.stringify(all);
    for (const secret of ['@', 'mw_live_', 'whsec_', 'secret-path']) expect(text).not.toContain(secret);
    const covered = new Set([...all.map(({ action }) => action), ...commands().map(([, , action]) => action)]);
    expect([...covered].sort()).toEqual([...auditActions].sort());
    expect(await log('?email=Ann@example.com')).toMatchObject([{ action: 'suppression.removed' }]);
    expect(await log('?email=other@example.com')).toEqual([]);
  });

  it('has a row for each key that a cascade revokes', async () => {
    const own = await newTeam();
    const parent = (await own.data('POST', '/api-keys', { name: 'Parent' })) as { id: number; key: string };
    const child = (await own.withKey(parent.key).data('POST', '/api-keys', { name: 'Child' })) as { id: number };
    for (const _ of [1, 2]) await own.data('DELETE', `/api-keys/${parent.id}?cascade=true`);
    const revoked = await everyRow(own, '/audit-log?action=api_key.revoked');
    expect(revoked.map(({ target }) => target.id).sort()).toEqual([parent.id, child.id].map(String).sort());
  });

  it('lists months newest first, of the last 400 days, within since and until', async () => {
    const own = await newTeam();
    const day = (days: number) => new Date(Date.now() - days * 86_400_000);
    const ages = [401, 399, 200, 100, 70, 40, 39];
    for (const days of ages) {
      const operation = { id: randomUUID(), startedAt: day(days) };
      await record(auditWrite(own.id, { kind: 'system', name: 'system', operation }, 'contact.erased', days));
    }
    const idsOf = async (query: string, at = own) =>
      (await everyRow(at, `/audit-log?action=contact.erased${query}`)).map(({ target }) => Number(target.id));
    expect(await idsOf('')).toEqual([39, 40, 70, 100, 200, 399]);
    const until = encodeURIComponent(day(69).toISOString());
    const since = encodeURIComponent(day(150).toISOString());
    expect(await idsOf(`&since=${since}&until=${until}`)).toEqual([70, 100]);
    const page = (await own.api('GET', '/audit-log?action=contact.erased&per_page=2')).body;
    const next = (await own.api('GET', page.next_page_url.split('/v1')[1])).body;
    expect(next.data.map(({ target }: { target: { id: string } }) => target.id)).toEqual(['70', '100']);
    const back = (await own.api('GET', next.prev_page_url.split('/v1')[1])).body;
    expect(back.data).toEqual(page.data);
    expect(await idsOf('', await newTeam())).toEqual([]);
  });

  it('is read by keys with every scope alone', async () => {
    const { status, body } = await (await keyWith(team, ['contacts:write', 'webhooks:write'])).api('GET', '/audit-log');
    expect([status, body.code]).toEqual([403, 'missing_scope']);
  });

  it.each(['webhooks', 'operate', 'run-job', 'contacts'])('lets %s change or delete no row', async (name) => {
    const client = DynamoDBDocumentClient.from(
      new DynamoDBClient(functionOf(inject('folder'), `mailwright-dev-${name}`)),
    );
    const { TableNames } = await new DynamoDBClient(awsOf(inject('folder'))).send(new ListTablesCommand());
    const TableName = TableNames![0]!;
    const month = new Date().toISOString().slice(0, 7);
    const [row] = await (await rawTable(inject('folder'))).partition(`AUDIT#${team.id}#${month}`);
    const { pk, sk } = row!;
    const change = { TableName, Key: { pk, sk }, UpdateExpression: 'REMOVE actor' };
    const removal = { TableName, Key: { pk, sk } };
    const other = { Delete: { TableName, Key: { pk: `TEAM#${team.id}`, sk: 'NOTHING' } } };
    const Item = { ...row, id: 'other', sk: `${sk} ${name}` };
    for (const command of [
      new UpdateCommand(change),
      new DeleteCommand(removal),
      new TransactWriteCommand({ TransactItems: [other, { Update: change }] }),
      new TransactWriteCommand({ TransactItems: [{ Delete: removal }] }),
      new BatchWriteCommand({ RequestItems: { [TableName]: [{ PutRequest: { Item } }] } }),
      new BatchWriteCommand({ RequestItems: { [TableName]: [{ DeleteRequest: { Key: { pk, sk } } }] } }),
    ])
      await expect(client.send(command as UpdateCommand), command.constructor.name).rejects.toThrow('not authorized');
    const put = { TableName, Item, ConditionExpression: 'attribute_not_exists(pk)' };
    await client.send(new TransactWriteCommand({ TransactItems: [other, { Put: put }] }));
  });
});
