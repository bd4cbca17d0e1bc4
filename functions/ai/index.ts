import { serve } from '../../shared/http/serve.ts';
import { checkDeliverability } from './check-deliverability.ts';
import { getAiUsage } from './get-ai-usage.ts';
import { polishContent } from './polish-content.ts';
import { testSubject } from './test-subject.ts';

export const endpoints = { polishContent, testSubject, checkDeliverability, getAiUsage };
export const handler = serve(endpoints);
