import { serve } from '../../shared/http/serve.ts';
import { createTemplate } from './create-template.ts';
import { deleteTemplate } from './delete-template.ts';
import { getTemplate } from './get-template.ts';
import { listTemplates } from './list-templates.ts';
import { updateTemplate } from './update-template.ts';

export const endpoints = { listTemplates, createTemplate, getTemplate, updateTemplate, deleteTemplate };
export const handler = serve(endpoints);
