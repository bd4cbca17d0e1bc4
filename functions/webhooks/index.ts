import { serve } from '../../shared/http/serve.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { getWebhook } from './get-webhook.ts';
import { listDeliveries } from './list-deliveries.ts';
import { listEventTypes } from './list-event-types.ts';
import { listWebhooks } from './list-webhooks.ts';
import { rotateSecret } from './rotate-secret.ts';
import { testWebhook } from './test-webhook.ts';
import { updateWebhook } from './update-webhook.ts';

export const endpoints = {
  listWebhooks,
  createWebhook,
  listWebhookEventTypes: listEventTypes,
  getWebhook,
  updateWebhook,
  deleteWebhook,
  listWebhookDeliveries: listDeliveries,
  testWebhook,
  rotateWebhookSecret: rotateSecret,
};
export const handler = serve(endpoints);
