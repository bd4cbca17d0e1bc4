import * as webhooks from '../../shared/data/webhooks/endpoints.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { idParams } from '../../shared/http/schemas.ts';

/** `{endpoint}` in a path. */
export const webhookParams = idParams('endpoint');

/** The endpoint that a path names, or 404. */
export async function webhookOf(teamId: number, params: { endpoint: number }): Promise<webhooks.WebhookItem> {
  return orNotFound(await webhooks.find(teamId, params.endpoint), 'webhook endpoint');
}
