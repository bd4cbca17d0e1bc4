import { it } from 'vitest';
import { importsExactly, timeouts } from './warehouse-crash.setup.ts';

it(
  'reads the same audience when the stack is killed and S3 and the table fail or hang during the import',
  () => importsExactly(1_500, 3, [timeouts]),
  300_000,
);
