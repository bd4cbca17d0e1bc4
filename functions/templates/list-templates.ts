import * as z from 'zod';
import * as templates from '../../shared/data/messages/templates.ts';
import { filtered } from '../../shared/data/paging.ts';
import { endpoint } from '../../shared/http/endpoint.ts';
import { pageOf, pageQuery, paginate } from '../../shared/http/pagination.ts';
import { singleLine } from '../../shared/http/schemas.ts';
import { templateRow } from './schemas.ts';

export const listTemplates = endpoint({
  method: 'GET',
  path: '/templates',
  scope: 'campaigns:read',
  summary: "List templates without their HTML, newest first, the system's last",
  query: pageQuery.extend({
    scope: z.enum(templates.templateScopes).default('all'),
    category: singleLine(100).describe('Without regard to case').optional(),
  }),
  response: pageOf(templateRow),

  handle(context) {
    const { scope, category } = context.query;
    const all = templates.list(context.caller.teamId, scope);
    const wanted = category?.toLowerCase();
    const shown = wanted ? filtered(all, (template) => template.category?.toLowerCase() === wanted) : all;
    return paginate(context, shown, templates.view);
  },
});
