import type * as z from 'zod';
import { log } from '../../shared/aws/log.ts';
import type { Actor } from '../../shared/domain/actor.ts';
import { ApiError } from '../../shared/domain/errors.ts';
import { removeWarehouse, setWarehouse, showWarehouse } from '../../shared/flows/campaigns/set-warehouse.ts';
import { showCampaign, showImport } from '../../shared/flows/campaigns/show.ts';
import { liftForAll, showSuppression, suppressForAll } from '../../shared/flows/contacts/operate-suppressions.ts';
import * as operators from '../../shared/flows/operate.ts';
import { showSequence } from '../../shared/flows/sequences/show.ts';
import { showAuditLog } from '../../shared/flows/teams/show-audit-log.ts';
import { showWebhook } from '../../shared/flows/webhooks/show.ts';
import { validate } from '../../shared/http/validation.ts';
import { task } from '../../shared/workers/task.ts';
import { type OperatorCommand, operatorCommands } from '../operator-commands.ts';

type Input<C extends OperatorCommand> = z.output<(typeof operatorCommands)[C]>;

const actions: { [C in OperatorCommand]: (input: Input<C>, by: Actor) => Promise<object> } = {
  'audit list': showAuditLog,
  'team create': operators.createTeam,
  'team plan': operators.setPlan,
  'team suspend': operators.suspendTeam,
  'team unsuspend': operators.unsuspendTeam,
  'key create': operators.createKey,
  'domain add': operators.addDomain,
  'domain verify': operators.verifyDomain,
  'campaign show': showCampaign,
  'campaign release': operators.releaseCampaign,
  'campaign refuse': operators.refuseCampaign,
  'campaign resume': operators.resumeCampaign,
  'import show': showImport,
  'sequence show': showSequence,
  'webhook show': showWebhook,
  'suppression add': suppressForAll,
  'suppression remove': liftForAll,
  'suppression show': showSuppression,
  'canary set': operators.setCanary,
  'queue redrive': operators.redriveQueue,
  'signing-key rotate': operators.rotateSigningKey,
  'warehouse set': setWarehouse,
  'warehouse show': showWarehouse,
  'warehouse remove': removeWarehouse,
};

/** Runs one operator's command, `{ command, … }`; a refusal comes back as `{ error: { message, code } }`. */
export const handler = task<{ command?: string; operator?: unknown }, object>({
  failure: 'operator command failed',
  async handle(event, _deadline, requestId) {
    const { command = '' } = event;
    if (!isCommand(command))
      return refusal(`no such command; there are: ${Object.keys(operatorCommands).join(', ')}`, 'not_found');
    try {
      log.info('operator command', { command });
      return await run(command, event, operator(event.operator, requestId));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return refusal(error.message, error.code);
    }
  },
});

const isCommand = (name: string): name is OperatorCommand => Object.hasOwn(operatorCommands, name);

const run = <C extends OperatorCommand>(command: C, event: object, by: Actor): Promise<object> =>
  actions[command](validate(operatorCommands[command], event) as Input<C>, by);

/** Who runs a command: the name is what the command line says; who invoked the function, CloudTrail knows. */
const operator = (name: unknown, requestId: string): Actor => ({
  kind: 'operator',
  name: typeof name === 'string' && name.length <= 100 ? name : 'operator',
  requestId,
  operation: { id: requestId, startedAt: new Date() },
});

const refusal = (message: string, code: string) => ({ error: { message, code } });
