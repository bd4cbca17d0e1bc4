import * as z from 'zod';
import { exportFormats } from '../shared/domain/campaigns/export-records.ts';
import { auditActions } from '../shared/domain/teams/audit.ts';
import { planNames } from '../shared/domain/teams/plans.ts';
import { scopes } from '../shared/domain/teams/scopes.ts';
import { email, mailFromSubdomain, singleLine, timestampInput } from '../shared/http/schemas.ts';

const id = z.coerce.number('a numeric id').int('a numeric id').positive('a numeric id');
const plan = z.enum(planNames);
const team = z.object({ team_id: id });
const domain = team.extend({ domain: z.string().trim().toLowerCase() });
const platform = z.literal(true, "teams keep their own list; this is the platform's");
const column = singleLine(100);
const campaign = team.extend({ campaign_id: id });

/** Scopes as a list, or as text: `all`, or names between commas. */
const scopeList = z.preprocess(
  (given) => {
    if (given === 'all') return scopes;
    return typeof given === 'string' ? given.split(',').map((name) => name.trim()) : given;
  },
  z.array(z.enum(scopes)),
);

/** The operators' commands and their inputs, declared once for the function that runs them and for the command line. */
export const operatorCommands = {
  'audit list': z.object({
    team_id: id.optional(),
    action: z.enum(auditActions).optional(),
    since: timestampInput.optional(),
    until: timestampInput.optional(),
  }),
  'team create': z.object({ name: singleLine(100), plan, sandbox: z.boolean().default(false) }),
  'team plan': team.extend({ plan }),
  'team suspend': team,
  'team unsuspend': team,
  'key create': team.extend({
    name: singleLine(100).default('operator'),
    scopes: scopeList.optional(),
    expires_at: timestampInput.optional(),
  }),
  'domain add': domain.extend({ mail_from_subdomain: mailFromSubdomain.optional() }),
  'domain verify': domain,
  'campaign show': campaign,
  'campaign release': campaign,
  'campaign refuse': campaign.extend({ reason: singleLine(500).optional() }),
  'campaign resume': campaign,
  'import show': campaign,
  'sequence show': team.extend({ sequence_id: id }),
  'webhook show': team.extend({ webhook_id: id }),
  'suppression add': z.object({
    email,
    reason: z.enum(['hard_bounce', 'spam_report']).default('hard_bounce'),
    platform,
  }),
  'suppression remove': z.object({ email, reason: singleLine(500), platform }),
  'suppression show': z.object({ email, team_id: id.optional() }),
  'warehouse set': team.extend({
    bucket: singleLine(63).optional(),
    prefix: singleLine(512).optional(),
    format: z.enum(exportFormats).default('csv'),
    email_column: column.default('email'),
    first_name_column: column.optional(),
    last_name_column: column.optional(),
    query: z.string().trim().min(1).max(100_000).optional(),
  }),
  'canary set': team.extend({ from_email: email }),
  'queue redrive': z.object({ queue: singleLine(40) }),
  'signing-key rotate': z.object({}),
  'warehouse show': team,
  'warehouse remove': team,
} as const satisfies Record<string, z.ZodObject>;

/** The name of a command: noun and verb. */
export type OperatorCommand = keyof typeof operatorCommands;
