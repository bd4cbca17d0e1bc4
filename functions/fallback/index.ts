import { serve } from '../../shared/http/serve.ts';

/** Handles requests that match no route: 401 without a valid key, else 404. */
export const handler = serve({});
