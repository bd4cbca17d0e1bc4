import { existsSync, readFileSync } from 'node:fs';
import { type DataFolder, damaged } from './data-folder.ts';
import type { Operators } from './operators.ts';

/** What a client needs to use the demo team; `credentials.json` in the data folder. */
export interface Credentials {
  base_url: string;
  api_key: string;
  team_id: number;
}

/** Makes the demo team on the first start; later starts keep it and write the address of now. */
export async function seed(folder: DataFolder, operators: Operators, address: string): Promise<Credentials> {
  const base_url = `${address}/v1`;
  const file = folder.file('credentials.json');
  const { team_id, api_key } = existsSync(file) ? readCredentials(file) : await makeDemoTeam(folder, operators);
  const credentials = { base_url, api_key, team_id };
  folder.publish('credentials.json', credentials);
  return credentials;
}

/** A start that was cut short is taken up where it was, so that the demo's domain never belongs to a team that nobody has a key of. */
async function makeDemoTeam(folder: DataFolder, operators: Operators): Promise<Omit<Credentials, 'base_url'>> {
  const known = folder.read('demo_team');
  const teamId = known ? Number(known) : await operators.createTeam({ name: 'Demo', plan: 'business' });
  folder.write('demo_team', String(teamId));
  return operators.equipTeam(teamId, ['demo.example']);
}

function readCredentials(file: string): Credentials {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw damaged(file, (error as Error).message);
  }
}
