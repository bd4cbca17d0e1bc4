import type { Endpoints } from '../shared/http/endpoint.ts';
import { endpoints as ai } from './ai/index.ts';
import { endpoints as apiKeys } from './api-keys/index.ts';
import { endpoints as auditLog } from './audit-log/index.ts';
import { endpoints as campaigns } from './campaigns/index.ts';
import { endpoints as contacts } from './contacts/index.ts';
import { endpoints as events } from './events/index.ts';
import { endpoints as lists } from './lists/index.ts';
import { endpoints as me } from './me/index.ts';
import { endpoints as openapi } from './openapi/index.ts';
import { endpoints as segments } from './segments/index.ts';
import { endpoints as send } from './send/index.ts';
import { endpoints as sendingDomains } from './sending-domains/index.ts';
import { endpoints as sequences } from './sequences/index.ts';
import { endpoints as suppressions } from './suppressions/index.ts';
import { endpoints as tags } from './tags/index.ts';
import { endpoints as templates } from './templates/index.ts';
import { endpoints as waitlists } from './waitlists/index.ts';
import { endpoints as webhooks } from './webhooks/index.ts';

export { pages } from './pages/index.ts';
export { webhookPayloads } from './webhooks/payloads.ts';

const folders = {
  me,
  'api-keys': apiKeys,
  'audit-log': auditLog,
  contacts,
  lists,
  tags,
  segments,
  suppressions,
  waitlists,
  campaigns,
  templates,
  sequences,
  events,
  send,
  'sending-domains': sendingDomains,
  webhooks,
  ai,
  openapi,
};

/** A folder of endpoints; one Lambda function serves it. */
export type Folder = keyof typeof folders;

/** Every endpoint of the API, by folder and operation id. */
export const catalogue: Readonly<Record<Folder, Endpoints>> = folders;
