import { Explained } from './local-stack.ts';

type Flags = Record<string, string | boolean | undefined>;

/** One command of the operators: its flags, the input that they make, and how its result reads. */
export interface OperatorCommand {
  /** Flags with their placeholder in the usage; a flag without one is a switch. */
  flags: Record<string, string | undefined>;
  required: readonly string[];
  input(flags: Flags): Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: what `operate` answered, as JSON
  show(result: any, flags: Flags): string;
}

interface DnsRecord {
  type: string;
  name: string;
  value: string;
}

const domain: OperatorCommand = {
  flags: { team: 'ID', domain: 'NAME' },
  required: ['team', 'domain'],
  input: ({ team, domain }) => ({ team_id: id('team', team), domain }),
  show: ({ domain, status, records }: { domain: string; status: string; records: DnsRecord[] }) =>
    status === 'verified' ? `${domain} is verified: campaigns may be sent from it.` : pending(domain, status, records),
};

const campaignIds = ({ team, campaign }: Flags) => ({
  team_id: id('team', team),
  campaign_id: id('campaign', campaign),
});

/** Every command, by noun and verb. */
export const operatorCommands: Record<string, OperatorCommand> = {
  'team create': {
    flags: { name: 'NAME', plan: 'free|starter|business|enterprise', sandbox: undefined },
    required: ['name', 'plan'],
    input: ({ name, plan, sandbox }) => ({ name, plan, sandbox }),
    show: ({ team_id }, { name, plan, sandbox }) =>
      `Team ${team_id} "${name}" is created on the ${plan} plan${sandbox ? ', in sandbox' : ''}.\nIts first key: npm run admin -- key create --team ${team_id}`,
  },
  'team plan': {
    flags: { team: 'ID', plan: 'free|starter|business|enterprise' },
    required: ['team', 'plan'],
    input: ({ team, plan }) => ({ team_id: id('team', team), plan }),
    show: ({ team_id, plan }) => `Team ${team_id} and its keys are on the ${plan} plan.`,
  },
  'key create': {
    flags: { team: 'ID', scopes: 'A,B', name: 'NAME', 'expires-at': 'TIME' },
    required: ['team'],
    input: ({ team, scopes, name, 'expires-at': expires_at }) => ({
      team_id: id('team', team),
      name,
      expires_at,
      scopes: typeof scopes === 'string' ? scopes.split(',').map((scope) => scope.trim()) : undefined,
    }),
    show: ({ id, key }, { team, scopes }) =>
      `Key ${id} of team ${team}, ${scopes ? `with ${scopes}` : 'with every scope'}. It is shown only now:\n\n  ${key}\n`,
  },
  'domain add': domain,
  'domain verify': domain,
  'campaign release': {
    flags: { team: 'ID', campaign: 'ID' },
    required: ['team', 'campaign'],
    input: campaignIds,
    show: ({ campaign_id, status }) => `Campaign ${campaign_id} is released and now ${status}.`,
  },
  'campaign refuse': {
    flags: { team: 'ID', campaign: 'ID', reason: 'TEXT' },
    required: ['team', 'campaign'],
    input: ({ reason, ...flags }) => ({ ...campaignIds(flags), reason }),
    show: ({ campaign_id, status, reason }) => `Campaign ${campaign_id} is ${status}: ${reason}.`,
  },
};

/** The line of a command in the usage. */
export function usageOf(name: string): string {
  const { flags, required } = operatorCommands[name]!;
  const shown = Object.entries(flags).map(([flag, value]) => {
    const whole = value === undefined ? `--${flag}` : `--${flag} ${value}`;
    return required.includes(flag) ? whole : `[${whole}]`;
  });
  return `npm run admin -- ${name} ${shown.join(' ')} [--stage NAME] [--json]`;
}

function id(flag: string, value: Flags[string]): number {
  if (typeof value !== 'string' || !/^[1-9]\d{0,11}$/.test(value)) throw new Explained(`--${flag} takes a numeric id.`);
  return Number(value);
}

function pending(domain: string, status: string, records: readonly DnsRecord[]): string {
  const width = Math.max(0, ...records.map(({ name }) => name.length));
  const lines = records.map(({ type, name, value }) => `  ${name.padEnd(width)}  ${type}  ${value}`);
  return [`${domain} is ${status}. Publish these DNS records, then run "domain verify":`, '', ...lines, ''].join('\n');
}
