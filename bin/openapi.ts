import { catalogue, webhookPayloads } from '../functions/catalogue.ts';
import { openapi } from '../shared/http/openapi.ts';

console.log(JSON.stringify(openapi(catalogue, webhookPayloads), null, 2));
