import { catalogue } from '../functions/catalogue.ts';
import { openapi } from '../shared/http/openapi.ts';

console.log(JSON.stringify(openapi(catalogue), null, 2));
