import * as z from 'zod';
import * as suppressions from '../../shared/data/contacts/suppressions.ts';
import { orNotFound } from '../../shared/domain/errors.ts';
import { liftSuppression } from '../../shared/flows/contacts/suppress.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { email } from '../../shared/http/schemas.ts';

export const removeSuppression = endpoint({
  method: 'DELETE',
  path: '/suppressions',
  scope: 'suppressions:write',
  summary: 'Let an address be mailed again; its contact gets back the status it had',
  body: z.object({ email }),
  response: dataOf(z.object({ status: z.literal('removed') })),

  async handle({ caller: { teamId }, body, operation, actor }) {
    const reason = await operation.memoize('reason', async () => {
      return orNotFound(await suppressions.find(teamId, body.email), 'suppression').reason;
    });
    await liftSuppression(teamId, body.email, reason, actor);
    return { data: { status: 'removed' as const } };
  },
});
