import { it } from 'vitest';
import { importsExactly } from './warehouse-crash.setup.ts';

it(
  'reads the same audience when the stack is killed and S3 and the table fail during the import',
  () => importsExactly(400, 1),
  300_000,
);
