import { existsSync, readFileSync } from 'node:fs';
import { type DataFolder, reading } from './data-folder.ts';
import type { Operators } from './operators.ts';

/** The content of `credentials.json` in the data folder, with which a client uses the demo team. */
export interface Credentials {
  base_url: string;
  api_key: string;
  team_id: number;
}

/** Creates the demo team on the first start; later starts keep it and update the address. */
export async function seed(folder: DataFolder, operators: Operators, address: string): Promise<Credentials> {
  const base_url = `${address}/v1`;
  const file = folder.file('credentials.json');
  const { team_id, api_key } = existsSync(file)
    ? reading<Credentials>(file, () => JSON.parse(readFileSync(file, 'utf8')))
    : await createDemoTeam(folder, operators);
  const credentials = { base_url, api_key, team_id };
  folder.publish('credentials.json', credentials);
  return credentials;
}

/** Continues an interrupted first start, so that the demo domain cannot belong to a team without a key. */
async function createDemoTeam(folder: DataFolder, operators: Operators): Promise<Omit<Credentials, 'base_url'>> {
  const known = folder.read('demo_team');
  const teamId = known ? Number(known) : await operators.createTeam({ name: 'Demo', plan: 'business' });
  folder.write('demo_team', String(teamId));
  return operators.setUpTeam(teamId, ['demo.example']);
}
