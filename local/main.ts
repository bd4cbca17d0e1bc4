import { clock } from './clock.ts';

// Everything below runs on the stack's clock, so nothing else may be imported before it is installed.
clock.install();
const { parseArgs } = await import('node:util');
const { relative, resolve } = await import('node:path');
const { startStack } = await import('./stack.ts');
const { Problem } = await import('./problem.ts');

const begun = performance.now();

function fail(error: unknown): never {
  console.error(error instanceof Problem ? `\n${error.message}\n` : error);
  process.exit(1);
}

process.on('unhandledRejection', (reason) => console.error('A promise was rejected and nobody handled it:', reason));
process.on('uncaughtException', (error) => console.error('An error was thrown and nobody caught it:', error));

try {
  const { values } = parseArgs({
    options: { ephemeral: { type: 'boolean', default: false }, data: { type: 'string' }, assembly: { type: 'string' } },
  });
  const stack = await startStack({
    port: Number(process.env.PORT ?? 8787),
    data: resolve(values.data ?? process.env.MAILWRIGHT_DATA ?? '.local'),
    ephemeral: values.ephemeral,
    assembly: values.assembly,
    onFailure: fail,
  });
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      void stack.stop().finally(() => process.exit(0));
    });
  }
  const { base_url, api_key } = stack.credentials;
  const origin = base_url.replace(/\/v1$/, '');
  const folder = relative(process.cwd(), stack.dataFolder.path) || '.';
  console.log(`
  Mailwright is running (started in ${((performance.now() - begun) / 1000).toFixed(1)} s)

  API     ${base_url}
  Key     ${api_key}
  Docs    ${origin}/docs
  Inbox   ${origin}/inbox
  Data    ${stack.dataFolder.ephemeral ? 'none: gone when this stops' : `${folder}/ (logs in ${folder}/logs/)`}

  curl -H "Authorization: Bearer ${api_key}" ${base_url}/me

  Ctrl-C stops all of it.
`);
} catch (error) {
  fail(error);
}
