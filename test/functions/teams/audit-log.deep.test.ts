import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { everyRow, readyCampaign, rows } from '../../support/campaign.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { control, newTeam } from '../../support/team.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack?.stop());

const hook = { url: 'https://93.184.215.14/hook', events: ['webhook.test'] };

/** Faults of the transaction that does an action and writes its row. */
const faults = [
  { error: 'lost_response', count: 1 },
  // Every attempt of the SDK: the request fails, and the client repeats it.
  { error: 'lost_response', count: 5 },
  { error: 'ProvisionedThroughputExceededException', count: 5 },
  { error: 'TransactionInProgressException', count: 1 },
];

it.each(faults)(
  'an action whose transaction meets $error, $count times, is done once and has one row',
  async (fault) => {
    const team = await newTeam({ origin: stack.origin });
    const key = await team.data('POST', '/api-keys', { name: 'Old' });
    const webhook = await team.data('POST', '/webhooks', hook);
    const { campaign } = await readyCampaign(team, rows(1));
    const { id: contact } = await team.data('POST', '/contacts', { email: 'bob@example.com' });
    await team.data('POST', '/suppressions', { email: 'ann@example.com', reason: 'manual' });
    const requests: Record<string, [method: string, path: string, body?: unknown]> = {
      'webhook.secret_rotated': ['POST', `/webhooks/${webhook.id}/rotate-secret`],
      'webhook.updated': ['PATCH', `/webhooks/${webhook.id}`, { url: 'https://93.184.215.14/other' }],
      'webhook.deleted': ['DELETE', `/webhooks/${webhook.id}`],
      'suppression.removed': ['DELETE', '/suppressions', { email: 'ann@example.com' }],
      'campaign.scheduled': ['POST', `/campaigns/${campaign}/schedule`, { send_at: '2031-01-01T00:00:00Z' }],
      'campaign.cancelled': ['POST', `/campaigns/${campaign}/cancel`],
      'contact.erased': ['POST', `/contacts/${contact}/erase`],
      'api_key.created': ['POST', '/api-keys', { name: 'New' }],
      'api_key.revoked': ['DELETE', `/api-keys/${key.id}?cascade=true`],
      'sending_domain.removed': ['DELETE', `/sending-domains/${team.domain}`],
    };
    for (const [action, [method, path, body]] of Object.entries(requests)) {
      const before = await everyRow(team, `/audit-log?action=${action}`);
      const headers = { 'idempotency-key': randomUUID() };
      await control(
        'POST',
        '/faults',
        { service: 'dynamodb', operation: 'TransactWriteItems', ...fault },
        stack.origin,
      );
      let answer = await team.api(method, path, body, headers);
      await control('DELETE', '/faults', undefined, stack.origin);
      for (let tries = 0; tries < 5 && answer.status >= 500; tries++)
        answer = await team.api(method, path, body, headers);
      expect([action, answer.status, answer.body.code]).toEqual([action, 200, undefined]);
      const after = await everyRow(team, `/audit-log?action=${action}`);
      expect([action, after.length]).toEqual([action, before.length + 1]);
    }
  },
);
