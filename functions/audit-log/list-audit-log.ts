import * as z from 'zod';
import * as auditLog from '../../shared/data/teams/audit-log.ts';
import { actorKinds } from '../../shared/domain/actor.ts';
import { auditActions } from '../../shared/domain/teams/audit.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { id, jsonObject, textEmail, time, timestampInput } from '../../shared/http/schemas.ts';

const action = z.enum(auditActions).meta({ id: 'AuditAction' });
const fields = jsonObject.nullable().meta({ type: ['object', 'null'], additionalProperties: {} });

const entry = z
  .object({
    id: z.string(),
    at: time,
    actor: z.object({ kind: z.enum(actorKinds), key_id: id.nullable(), name: z.string() }),
    action,
    target: z.object({ type: z.string(), id: z.string().describe('Of an address: a keyed hash') }),
    before: fields,
    after: fields,
    ip: z.string().nullable(),
    request_id: z.string().nullable(),
  })
  .meta({ id: 'AuditEntry' });

export const listAuditLog = endpoint({
  method: 'GET',
  path: '/audit-log',
  scope: 'every-scope',
  summary: 'List who did what in the last 400 days, newest first',
  extension: true,
  query: pageQuery.extend({
    action: action.optional(),
    since: timestampInput.optional(),
    until: timestampInput.optional(),
    email: textEmail.optional().describe('Whose suppression was lifted'),
  }),
  response: pageOf(entry),

  async handle(context) {
    const { teamId } = context.caller;
    const { email, ...filters } = context.query;
    const target = email === undefined ? undefined : await auditLog.addressTarget(teamId, email);
    return paginate(context, auditLog.list(teamId, { ...filters, target }), auditLog.view);
  },
});
