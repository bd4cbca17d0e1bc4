import { clock } from './clock.ts';

// The clock must be installed before anything else is imported.
clock.install();
const { flushCompileCache } = await import('node:module');
const { parseArgs } = await import('node:util');
const { relative, resolve } = await import('node:path');
const { startStack } = await import('./stack.ts');
const { Problem } = await import('./problem.ts');

const startedAt = performance.now();

function fail(error: unknown): never {
  console.error(error instanceof Problem ? `\n${error.message}\n` : error);
  process.exit(1);
}

process.on('unhandledRejection', (reason) => console.error('Unhandled rejection:', reason));
process.on('uncaughtException', (error) => console.error('Uncaught exception:', error));

function readOptions() {
  const port = Number(process.env.PORT ?? 8787);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Problem(`PORT must be a number from 0 to 65535, not "${process.env.PORT}".`);
  try {
    const { values } = parseArgs({
      options: {
        ephemeral: { type: 'boolean', default: false },
        data: { type: 'string' },
        assembly: { type: 'string' },
        context: { type: 'string', short: 'c', multiple: true, default: [] },
        sockets: { type: 'boolean', default: false },
      },
    });
    const context = Object.fromEntries(values.context.map((pair) => pair.split(/=(.*)/s, 2)));
    const data = resolve(values.data ?? process.env.MAILWRIGHT_DATA ?? '.local');
    return { ...values, inProcess: !values.sockets, context, port, data };
  } catch (error) {
    const usage = 'npm start -- [--ephemeral] [--data DIR] [--assembly DIR] [-c KEY=VALUE] [--sockets]';
    throw new Problem(`${(error as Error).message}\nUsage: ${usage}`);
  }
}

try {
  const stack = await startStack({ ...readOptions(), onFailure: (message) => fail(new Problem(message)) });
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
  const inside = relative(process.cwd(), stack.dataFolder.path);
  const folder = inside.startsWith('..') ? stack.dataFolder.path : inside;
  const data = stack.dataFolder.ephemeral ? 'none: gone when this stops' : `${folder}/ (logs in ${folder}/logs/)`;
  const firewall = stack.firewall ? `\n  Firewall ${stack.firewall}/v1` : '';
  const table = stack.externalDynamoDb ? `\n  Table   in the DynamoDB at ${stack.externalDynamoDb}` : '';
  console.log(`
  Mailwright is running (started in ${((performance.now() - startedAt) / 1000).toFixed(1)} s)

  API     ${base_url}${firewall}
  Key     ${api_key}
  Docs    ${origin}/docs
  Inbox   ${origin}/inbox
  Data    ${data}${table}

  curl -H "Authorization: Bearer ${api_key}" ${base_url}/me

  Ctrl-C stops all of it; PORT=8788 npm start takes another port.
`);
  // With a NODE_COMPILE_CACHE, others need not wait for this one's end, or one that is killed.
  flushCompileCache();
} catch (error) {
  fail(error);
}
