import * as z from 'zod';
import * as contacts from '../../shared/data/contacts.ts';
import { resolved } from '../../shared/data/paging.ts';
import { ValidationError } from '../../shared/domain/errors.ts';
import { contactStatus } from '../../shared/http/audience-schemas.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { paginate } from '../../shared/http/pagination.ts';
import { moment, pageOf, pageQuery, textId } from '../../shared/http/schemas.ts';
import { smallerOf } from './filter-records.ts';
import { type Relation, relations, withRelations } from './relations.ts';
import { contactWithRelations } from './schemas.ts';

const include = z
  .string()
  .transform((text) => text.split(',').flatMap((name) => name.trim() || []))
  .pipe(z.array(z.enum(relations)))
  .transform((names): Relation[] => [...new Set(names)].sort())
  .meta({ type: 'array', items: { type: 'string', enum: relations }, description: 'What to embed, comma-separated' });

export const listContacts = endpoint({
  method: 'GET',
  path: '/contacts',
  scope: 'contacts:read',
  summary: 'List contacts by email, or with `updated_since` in order of change',
  query: pageQuery.extend({
    status: contactStatus.optional(),
    tag_id: textId.optional(),
    list_id: textId.optional(),
    segment_id: textId.optional(),
    updated_since: moment.optional(),
    include: include.optional(),
  }),
  response: pageOf(contactWithRelations),

  async handle(exchange) {
    const { caller, query } = exchange;
    if (query.segment_id !== undefined) throw new ValidationError({ segment_id: ['segments are not available yet'] });
    const smaller = await smallerOf(caller.teamId, query);
    const found = contacts.list(caller.teamId, { ...query, smaller });
    const shown = resolved(found, (items) => withRelations(caller.teamId, items, query.include));
    return paginate(exchange, shown, (view) => view);
  },
});
