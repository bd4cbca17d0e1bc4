import * as z from 'zod';
import { log } from '../../shared/aws/log.ts';
import { ApiError } from '../../shared/domain/errors.ts';
import { planNames } from '../../shared/domain/plans.ts';
import { scopes } from '../../shared/domain/scopes.ts';
import * as operators from '../../shared/flows/operate.ts';
import { line, moment } from '../../shared/http/schemas.ts';
import { validate } from '../../shared/http/validation.ts';

const team_id = z.coerce.number().int().positive();
const domain = z.object({ team_id, domain: z.string().trim().toLowerCase() });
const campaign = z.object({ team_id, campaign_id: z.coerce.number().int().positive() });

function command<S extends z.ZodType>(input: S, run: (input: z.output<S>) => Promise<object>) {
  return (event: unknown) => run(validate(input, event));
}

const commands: Record<string, (event: unknown) => Promise<object>> = {
  'team create': command(
    z.object({
      name: z.string().trim().min(1).max(100),
      plan: z.enum(planNames).default('business'),
      sandbox: z.boolean().default(false),
    }),
    operators.createTeam,
  ),
  'team plan': command(z.object({ team_id, plan: z.enum(planNames) }), operators.setPlan),
  'key create': command(
    z.object({
      team_id,
      name: z.string().trim().min(1).max(100).default('operator'),
      scopes: z
        .literal('all')
        .transform(() => [...scopes])
        .or(z.array(z.enum(scopes)))
        .optional(),
      expires_at: moment.optional(),
    }),
    operators.createKey,
  ),
  'domain add': command(domain, operators.addDomain),
  'domain verify': command(domain, operators.verifyDomain),
  'campaign release': command(campaign, operators.releaseCampaign),
  'campaign refuse': command(campaign.extend({ reason: line(500).optional() }), operators.refuseCampaign),
};

/** Runs one operator's command, `{ command, … }`; a refusal comes back as `{ error: { message, code } }`. */
export async function handler(event: { command?: string }): Promise<object> {
  const run = commands[event.command ?? ''];
  if (!run) return refusal(`no such command; there are: ${Object.keys(commands).join(', ')}`, 'not_found');
  try {
    log.info('operator command', { command: event.command });
    return await run(event);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return refusal(error.message, error.code);
  }
}

const refusal = (message: string, code: string) => ({ error: { message, code } });
