import type { Functions } from './lambda/runtime.ts';
import { Problem } from './problem.ts';

/** A refusal of the product's own operator commands. */
export class Refused extends Error {}

/** A team as the controls ask for it. */
export interface TeamRequest {
  name: string;
  plan: string;
  sandbox?: boolean;
}

/** Makes teams and keys through the product's own operator commands. */
export interface Operators {
  createTeam(request: TeamRequest): Promise<number>;
  /** Gives a team its domains, verified, and a key with every scope; can be repeated. */
  equipTeam(team_id: number, domains: string[]): Promise<{ team_id: number; api_key: string }>;
  createKey(request: {
    team_id: unknown;
    scopes?: unknown;
    expires_at?: unknown;
  }): Promise<{ id: number; key: string }>;
}

/** Finds the function that runs operator commands; it is the one whose name ends in `-operate`. */
export function openOperators(functions: Functions, ses: { verifyIdentity(domain: string): void }): Operators {
  const operate = functions.all.find(({ name }) => name.endsWith('-operate'));
  if (!operate)
    throw new Problem('The template has no function whose name ends in -operate, which makes teams and keys.');
  const run = async <T>(command: string, input: object): Promise<T> => {
    const outcome = await operate.invoke({ command, ...input });
    if (outcome.error) throw new Error(`${operate.name} failed at "${command}": ${outcome.error.errorMessage}`);
    const result = outcome.value as T & { error?: { message: string } };
    if (result.error) throw new Refused(result.error.message);
    return result;
  };
  return {
    createTeam: async (request) => (await run<{ team_id: number }>('team create', request)).team_id,
    async equipTeam(team_id, domains) {
      for (const domain of domains) {
        await run('domain add', { team_id, domain });
        ses.verifyIdentity(domain);
        await run('domain verify', { team_id, domain });
      }
      const { key } = await run<{ key: string }>('key create', { team_id, scopes: 'all' });
      return { team_id, api_key: key };
    },
    createKey: (request) => run('key create', request),
  };
}
