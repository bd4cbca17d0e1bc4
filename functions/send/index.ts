import { serve } from '../../shared/http/serve.ts';
import { sendMessage } from './send-message.ts';

export const endpoints = { sendMessage };
export const handler = serve(endpoints);
