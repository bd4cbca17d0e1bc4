import { serve } from '../../shared/http/serve.ts';
import { addSuppression } from './add-suppression.ts';
import { listSuppressions } from './list-suppressions.ts';
import { removeSuppression } from './remove-suppression.ts';

export const endpoints = { listSuppressions, addSuppression, removeSuppression };
export const handler = serve(endpoints);
