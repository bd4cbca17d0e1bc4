import type { Team } from '../../support/team.ts';

interface Minted extends Team {
  keyId: number;
}

/** A key that another one mints. */
export async function mintedBy(minter: Team, body: object = {}): Promise<Minted> {
  const { id, key } = await minter.data('POST', '/api-keys', { name: 'Minted', ...body });
  return { ...minter.withKey(key), keyId: id };
}

export const idOf = async (key: Team): Promise<number> => (await key.data('GET', '/me')).api_key.id;
export const works = async (...keys: Team[]) =>
  Promise.all(keys.map(async (key) => (await key.api('GET', '/me')).status === 200));
export const revoke = async (by: Team, id: number, query = '') => {
  const { status, body } = await by.api('DELETE', `/api-keys/${id}${query}`);
  return [status, body.code];
};
