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
  createKey(request: object): Promise<{ id: number; key: string }>;
}

/** Finds the function of the operator commands, whose name ends in `-operate`. */
export function openOperators(functions: Functions, ses: Pick<Ses, 'verifyIdentity' | 'withoutCallLimit'>): Operators {
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
  return {
    createTeam: async (request) => (await run<{ team_id: number }>('team create', request)).team_id,
    async setUpTeam(team_id, domains) {
      await ses.withoutCallLimit(async () => {
        for (const domain of domains) {
          await run('domain add', { team_id, domain });
          ses.verifyIdentity(domain);
          await run('domain verify', { team_id, domain });
        }
      });
      const { key } = await run<{ key: string }>('key create', { team_id, scopes: 'all' });
      return { team_id, api_key: key };
    },
    createKey: (request) => run('key create', request),
  };
}
