import * as z from 'zod';
import { list, recipientFilters } from '../../shared/data/campaigns/recipient-listing.ts';
import { recipientStatuses } from '../../shared/domain/campaigns/recipient-ledger.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { address, id, time } from '../../shared/http/schemas.ts';
import { campaignOf, campaignParams } from './schemas.ts';

const recipient = z
  .object({
    contact_id: id.nullable(),
    email: address.nullable(),
    status: z.enum(recipientStatuses).meta({ id: 'RecipientStatus' }),
    sent_at: time.nullable(),
    opened_at: time.nullable(),
    clicked_at: time.nullable(),
    error_message: z.string().nullable(),
  })
  .meta({ id: 'Recipient' });

export const listRecipients = endpoint({
  method: 'GET',
  path: '/campaigns/{campaign}/recipients',
  scope: 'events:read',
  summary: "List a campaign's recipients, by email",
  params: campaignParams,
  query: pageQuery.extend({ filter: z.enum(recipientFilters).default('all') }),
  response: pageOf(recipient),

  async handle(context) {
    const { teamId } = context.caller;
    const campaign = await campaignOf(teamId, context.params);
    const source = list(teamId, campaign, context.query.filter);
    return paginate(context, source, (item) => item);
  },
});
