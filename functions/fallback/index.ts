import { serve } from '../../shared/http/serve.ts';

/** Answers what no route serves: 401 without a valid key, else 404. */
export const handler = serve({});
