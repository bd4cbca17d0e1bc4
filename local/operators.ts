import type { Dns } from './dns.ts';
import type { Functions } from './lambda/runtime.ts';
import { Problem } from './problem.ts';
import type { Ses } from './ses/server.ts';

/** An operator command refused the request. */
export class CommandRefused extends Error {}

/** Creates teams and keys with the product's operator commands. */
export interface Operators {
  createTeam(request: { name: string; plan: string }): Promise<number>;
  /** Adds verified domains and a key with every scope to a team; can be repeated. */
  setUpTeam(team_id: number, domains: string[]): Promise<{ team_id: number; api_key: string }>;
  /** Publishes what shows that a domain is the team's that has added it; nothing when none has. */
  publishClaim(domain: string): Promise<void>;
  createKey(request: object): Promise<{ id: number; key: string }>;
}

/** A DNS record that a team is to publish. */
interface WantedRecord {
  name: string;
  value: string;
  purpose: string;
}

/** Finds the function of the operator commands, whose name ends in `-operate`. */
export function openOperators(functions: Functions, ses: Ses, dns: Dns): Operators {
  const operate = functions.all.find(({ name }) => name.endsWith('-operate'));
  if (!operate)
    throw new Problem('The template has no function whose name ends in -operate, which creates teams and keys.');
  const run = async <T>(command: string, input: object): Promise<T> => {
    const outcome = await operate.invoke({ ...input, command });
    if (outcome.error) throw new Error(`${operate.name} failed at "${command}": ${outcome.error.errorMessage}`);
    const result = outcome.value as T & { error?: { message: string } };
    if (result.error) throw new CommandRefused(result.error.message);
    return result;
  };
  const claim = (records: WantedRecord[] = []) => {
    for (const { name, value, purpose } of records) if (purpose === 'ownership') dns.publish(name, [value]);
  };
  return {
    createTeam: async (request) => (await run<{ team_id: number }>('team create', request)).team_id,
    async setUpTeam(team_id, domains) {
      await ses.withoutCallLimit(async () => {
        for (const domain of domains) {
          claim((await run<{ records: WantedRecord[] }>('domain add', { team_id, domain })).records);
          ses.verifyIdentity(domain);
          await run('domain verify', { team_id, domain });
        }
      });
      const { key } = await run<{ key: string }>('key create', { team_id, scopes: 'all' });
      return { team_id, api_key: key };
    },
    async publishClaim(domain) {
      const team_id = ses.tagsOf(domain)['mailwright:team'];
      if (!team_id) return;
      const verify = () => run<{ records: WantedRecord[] }>('domain verify', { team_id, domain });
      claim((await ses.withoutCallLimit(verify)).records);
    },
    createKey: (request) => run('key create', request),
  };
}
