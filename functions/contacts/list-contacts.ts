import * as z from 'zod';
import * as contacts from '../../shared/data/contacts/contacts.ts';
import { segmentFilter } from '../../shared/flows/campaigns/segment-filter.ts';
import { contactStatus } from '../../shared/http/audience-schemas.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { textId, timestampInput } from '../../shared/http/schemas.ts';
import { filterRecords } from './filter-records.ts';
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
  summary:
    'List contacts by email, or with `updated_since` in order of change;' +
    ' a page of a search that takes long may be short',
  query: pageQuery.extend({
    status: contactStatus.optional(),
    tag_id: textId.optional(),
    list_id: textId.optional(),
    segment_id: textId.optional(),
    updated_since: timestampInput.optional(),
    include: include.optional(),
  }),
  response: pageOf(contactWithRelations),

  async handle(context) {
    const { teamId } = context.caller;
    const { include, ...query } = context.query;
    const { index, segment } = await filterRecords(teamId, query);
    const inSegment = segment && segmentFilter(teamId, segment.definition, new Date());
    const found = contacts.list(teamId, { ...query, index, segment: inSegment });
    const page = await paginate(context, found, (item) => item);
    return { ...page, data: await withRelations(teamId, page.data, include) };
  },
});
