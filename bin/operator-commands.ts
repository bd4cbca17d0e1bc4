import { type OperatorCommand, operatorCommands } from '../functions/operator-commands.ts';
import type { DnsRecord } from '../shared/domain/teams/dns-records.ts';
import { showAuditLog } from './show-audit-log.ts';
import { type Answer, type Flags, shownRecords } from './show-commands.ts';

/** What the command line adds to a command: how its result reads. */
type Show = (result: Answer, flags: Flags) => string;

type Suppressed = { reason: string; since: string } | null;
type Lifted = { reason: string; lifted_at: string };

const showDomain: Show = ({ domain, status, records }: { domain: string; status: string; records: DnsRecord[] }) =>
  status === 'verified' ? `${domain} is verified: campaigns may be sent from it.` : pending(domain, status, records);

const showWarehouse: Show = ({ bucket, prefix, format, query, ...found }) => {
  if (query) return `Athena runs, when a campaign is sent:\n\n  ${query}\n`;
  const { objects, header, rows_tried, bad_rows, first_problem } = found;
  const where = `Exports are read as ${format} from s3://${bucket}/${prefix}.`;
  if (objects === 0) return `${where} Nothing is there yet.`;
  const columns = header ? ` Columns: ${header.join(', ')}.` : '';
  const bad = bad_rows > 0 ? `, ${bad_rows} of them bad: ${first_problem}` : '';
  const counted = `${objects} ${objects === 1 ? 'object' : 'objects'}`;
  return `${where}\nNow there: ${counted}.${columns} Rows tried: ${rows_tried}${bad}.`;
};

/** How the result of each command reads. */
export const shown: Record<OperatorCommand, Show> = {
  ...shownRecords,
  'audit list': showAuditLog,
  'team create': ({ team_id }, { name, plan, sandbox }) =>
    `Team ${team_id} "${name}" is created on the ${plan} plan${sandbox ? ', in sandbox' : ''}.\n` +
    `Its first key: npm run admin -- key create --team ${team_id}`,
  'team plan': ({ team_id, plan }) => `Team ${team_id} and its keys are on the ${plan} plan.`,
  'team suspend': ({ team_id, paused }: { team_id: number; paused: number[] }) =>
    `Team ${team_id} is suspended: it can start no campaign. ` +
    (paused.length > 0 ? `Paused: campaign ${paused.join(', ')}.` : 'None was being sent.'),
  'team unsuspend': ({ team_id }) =>
    `Team ${team_id} may send again. Its paused campaigns stay paused until "campaign resume".`,
  'key create': ({ id, key }, { team, scopes }) =>
    `Key ${id} of team ${team}, ${scopes ? `with ${scopes}` : 'with every scope'}. It is shown only now:\n\n  ${key}\n`,
  'domain add': showDomain,
  'domain verify': showDomain,
  'campaign release': ({ campaign_id, status }) => `Campaign ${campaign_id} is released and now ${status}.`,
  'campaign refuse': ({ campaign_id, status, reason }) => `Campaign ${campaign_id} is ${status}: ${reason}.`,
  'campaign resume': ({ campaign_id, status }) => `Campaign ${campaign_id} is resumed and now ${status}.`,
  'warehouse set': (result) => `Team ${result.team_id} has a warehouse source. ${showWarehouse(result, {})}`,
  'warehouse show': (result, flags) => showWarehouse(result, flags),
  'warehouse remove': ({ team_id }) => `Team ${team_id} has no warehouse source any more.`,
  'canary set': ({ team_id, from_email }) => `The canary sends as team ${team_id} from ${from_email}.`,
  'queue redrive': ({ queue, moved }) => `${moved} messages are back on the queue ${queue}.`,
  'signing-key rotate': ({ keys, signs_from }) =>
    `New links are signed with the new key from ${signs_from} on. Unsubscribe links of all ${keys} keys stay valid, ` +
    'others for a time (docs/runbook.md).',
  'suppression show': ({ email, platform, ses, team, lifted }) => {
    const by = Object.entries({ 'The platform': platform, SES: ses, 'The team': team }) as [string, Suppressed][];
    const lines = by.flatMap(([who, found]) =>
      found ? [`${who} suppresses ${email} since ${found.since}: ${found.reason}.`] : [],
    );
    const lifts = (lifted as Lifted[]).map(({ reason, lifted_at }) => `Lifted on ${lifted_at}: ${reason}`);
    return [...(lines.length > 0 ? lines : [`Nothing suppresses ${email}.`]), ...lifts].join('\n');
  },
  'suppression remove': ({ email, ses }) =>
    `The platform${ses ? ' and SES mail' : ' mails'} ${email} again. Teams lift their own suppressions.`,
  'suppression add': ({ email, reason }) => `No team mails ${email} any more (${reason}).`,
};

/** The placeholder of a flag's value in the usage; a flag without one is a switch. */
const placeholders: Record<string, string | undefined> = {
  team: 'ID',
  campaign: 'ID',
  sequence: 'ID',
  webhook: 'ID',
  name: 'NAME',
  plan: operatorCommands['team plan'].shape.plan.options.join('|'),
  domain: 'NAME',
  'mail-from-subdomain': 'LABEL',
  email: 'ADDRESS',
  'from-email': 'ADDRESS',
  queue: 'NAME',
  scopes: 'A,B',
  'expires-at': 'TIME',
  reason: 'TEXT',
  bucket: 'NAME',
  prefix: 'PREFIX',
  format: operatorCommands['warehouse set'].shape.format.unwrap().options.join('|'),
  'email-column': 'NAME',
  'first-name-column': 'NAME',
  'last-name-column': 'NAME',
  query: 'SQL',
  action: 'ACTION',
  since: 'TIME',
  until: 'TIME',
};

/** A flag of a command: the field of the input that it gives. */
export interface Flag {
  name: string;
  field: string;
  /** The placeholder of its value in the usage; a switch has none. */
  placeholder: string | undefined;
  required: boolean;
}

/** What the command line does itself, beside the command. */
const ownFlags: Partial<Record<OperatorCommand, Flag[]>> = {
  'domain add': [{ name: 'publish', field: 'publish', placeholder: undefined, required: false }],
};

/** The flags of a command, from its input: `expires_at` is `--expires-at`, `team_id` is `--team`. */
export function flagsOf(command: OperatorCommand): Flag[] {
  const flags = Object.entries(operatorCommands[command].shape).map(([field, schema]) => {
    const name = field.replace(/_id$/, '').replaceAll('_', '-');
    return { name, field, placeholder: placeholders[name], required: !schema.safeParse(undefined).success };
  });
  return [...flags, ...(ownFlags[command] ?? [])];
}

/** The line of a command in the usage. */
export function usageOf(command: OperatorCommand): string {
  const flags = flagsOf(command).map(({ name, placeholder, required }) => {
    const whole = placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`;
    return required ? whole : `[${whole}]`;
  });
  return ['npm run admin --', command, ...flags, '[--stage NAME] [--json]'].join(' ');
}

function pending(domain: string, status: string, records: readonly DnsRecord[]): string {
  const width = Math.max(0, ...records.map(({ name }) => name.length));
  const lines = records.map(
    ({ type, name, priority, value }) =>
      `  ${name.padEnd(width)}  ${type.padEnd(5)}  ${priority === null ? value : `${priority} ${value}`}`,
  );
  return [`${domain} is ${status}. Publish these DNS records, then run "domain verify":`, '', ...lines, ''].join('\n');
}
