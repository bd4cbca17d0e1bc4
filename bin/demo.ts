// `npm run demo [-- file.csv]` imports contacts, sends them a campaign and prints its report, by the public API alone.
import { basename, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { ApiError, ConnectionError, Mailwright, type Retry } from '../client/src/index.ts';
import { checkContacts } from './demo/contacts-file.ts';
import { type Imported, importContacts } from './demo/import-contacts.ts';
import { reportTable, settledReport } from './demo/report.ts';
import { sendCampaign } from './demo/send-campaign.ts';
import { Explained, findLocalStack, notRunning } from './local-stack.ts';

const sample = relative(process.cwd(), fileURLToPath(new URL('demo-contacts.csv', import.meta.url)));
const maxFaultsShown = 5;
/** Shorter waits are not printed. */
const longWaitMs = 5_000;

try {
  await main();
} catch (error) {
  console.error(`\n${explained(error)}`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const file = fileArgument();
  await checkContacts(file);
  const { api, baseUrl, shownKey } = connect();
  const me = await api.me.get();
  const name = `${basename(file)}, ${new Date().toISOString().slice(0, 19).replace('T', ' ')}`;
  console.log(`Mailwright at ${baseUrl}, team "${me.team.name}" on the ${me.team.plan} plan\n`);

  console.log(`Contacts from ${file}`);
  const list = await api.lists.create({ name });
  const imported = await importContacts(api, file, list.id);
  showFaults(imported);

  console.log(`\nCampaign to the list "${name}"`);
  const campaign = await sendCampaign(api, name, await api.lists.get(list.id));
  const report = await settledReport(api, campaign.id);

  console.log(`\n${reportTable(report)}\n`);
  if (!shownKey) return;
  console.log(`The messages are at ${baseUrl.replace(/\/v1$/, '')}/inbox: open one, and the report counts it.`);
  console.log(`curl -H "Authorization: Bearer ${shownKey}" ${baseUrl}/campaigns/${campaign.id}/report`);
}

function fileArgument(): string {
  try {
    const { positionals } = parseArgs({ allowPositionals: true });
    if (positionals.length < 2) return positionals[0] ?? sample;
    throw new Error('One file at a time.');
  } catch (error) {
    throw new Explained(`${(error as Error).message}\nUsage: npm run demo [-- file.csv]`);
  }
}

/** The API to use; `shownKey` is set for the local stack only, whose key may be printed. */
function connect(): { api: Mailwright; baseUrl: string; shownKey?: string } {
  const { MAILWRIGHT_URL: url, MAILWRIGHT_KEY: key } = process.env;
  if (!url !== !key)
    throw new Explained('MAILWRIGHT_URL and MAILWRIGHT_KEY go together; without both the local stack is used.');
  const local = url && key ? undefined : findLocalStack().api;
  const [baseUrl, apiKey] = local ? [local.base_url, local.api_key] : [url!, key!];
  return { api: new Mailwright({ baseUrl, apiKey, onRetry: showWait }), baseUrl, shownKey: local?.api_key };
}

function showWait({ waitMs }: Retry): void {
  if (waitMs >= longWaitMs) console.error(`  the API asks to wait: going on in ${Math.round(waitMs / 1000)} s`);
}

/** The message for an error that the user can fix; throws other errors again. */
function explained(error: unknown): string {
  if (error instanceof Explained) return error.message;
  if (error instanceof ApiError) return `The API refuses (${error.status}): ${error.message}`;
  if (error instanceof ConnectionError) return (process.env.MAILWRIGHT_URL ? error : notRunning()).message;
  throw error;
}

function showFaults({ faults }: Imported): void {
  for (const { line, fault } of faults.slice(0, maxFaultsShown)) console.log(`    line ${line}: ${fault}`);
  if (faults.length > maxFaultsShown) console.log(`    and ${faults.length - maxFaultsShown} more`);
}
