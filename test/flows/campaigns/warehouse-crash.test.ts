import { it } from 'vitest';
import { importsExactly } from './warehouse-crash.setup.ts';

it(
  'reads exactly the same audience when the stack is killed and S3 and the table fail in the middle of it',
  () => importsExactly(400, 1),
  300_000,
);
