// `npm run demo [-- file.csv]`: imports contacts, sends them a campaign and prints its report, through the public API only.
import { basename, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Api, Refusal } from './demo/api.ts';
import { checkContacts } from './demo/contacts-file.ts';
import { type Imported, importContacts } from './demo/import-contacts.ts';
import { reportTable, settledReport } from './demo/report.ts';
import { sendCampaign } from './demo/send-campaign.ts';
import { Explained, findLocalStack } from './local-stack.ts';

const sample = relative(process.cwd(), fileURLToPath(new URL('demo-contacts.csv', import.meta.url)));
const faultsShown = 5;

try {
  await main();
} catch (error) {
  if (!(error instanceof Explained || error instanceof Refusal)) throw error;
  console.error(`\n${error instanceof Refusal ? `The API refuses (${error.status}): ` : ''}${error.message}`);
  process.exitCode = 1;
}

async function main(): Promise<void> {
  const file = fileArgument();
  await checkContacts(file);
  const { api, shownKey } = connect();
  const { data: me } = await api.call('GET', '/me');
  const name = `${basename(file)}, ${new Date().toISOString().slice(0, 19).replace('T', ' ')}`;
  console.log(`Mailwright at ${api.baseUrl}, team "${me.team.name}" on the ${me.team.plan} plan\n`);

  console.log(`Contacts from ${file}`);
  const { data: list } = await api.call('POST', '/lists', { name });
  const imported = await importContacts(api, file, list.id);
  showFaults(imported);

  console.log(`\nCampaign to the list "${name}"`);
  const { data: filled } = await api.call('GET', `/lists/${list.id}`);
  const campaign = await sendCampaign(api, name, { id: list.id, contacts: filled.contacts_count });
  const report = await settledReport(api, campaign.id);

  console.log(`\n${reportTable(report)}\n`);
  if (!shownKey) return;
  console.log(`The messages are at ${api.baseUrl.replace(/\/v1$/, '')}/inbox: open one, and the report counts it.`);
  console.log(`curl -H "Authorization: Bearer ${shownKey}" ${api.baseUrl}/campaigns/${campaign.id}/report`);
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

/** The API to use, and the key where it may be shown: the one of the local stack. */
function connect(): { api: Api; shownKey?: string } {
  const { MAILWRIGHT_URL: url, MAILWRIGHT_KEY: key } = process.env;
  if (url && key) return { api: new Api(url, key) };
  if (url || key)
    throw new Explained('MAILWRIGHT_URL and MAILWRIGHT_KEY go together; without both the local stack is used.');
  const { base_url, api_key } = findLocalStack().api;
  return { api: new Api(base_url, api_key), shownKey: api_key };
}

function showFaults({ faults }: Imported): void {
  for (const { line, fault } of faults.slice(0, faultsShown)) console.log(`    line ${line}: ${fault}`);
  if (faults.length > faultsShown) console.log(`    and ${faults.length - faultsShown} more`);
}
