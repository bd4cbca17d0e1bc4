import { serve } from '../../shared/http/serve.ts';
import { listAuditLog } from './list-audit-log.ts';

export const endpoints = { listAuditLog };
export const handler = serve(endpoints);
