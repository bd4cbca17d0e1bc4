import { expect, it } from 'vitest';
import { keys } from '../../../shared/data/keys.ts';
import * as table from '../../../shared/data/table.ts';
import { recipientsVerified } from '../../../shared/flows/messages/recipients-verified.ts';
import { useSharedTable } from '../../support/data.ts';
import { control, newTeam } from '../../support/team.ts';

useSharedTable();

it("an identity that names no team is everybody's, unless its domain is another team's", async () => {
  const [team, owner] = [await newTeam(), await newTeam()];
  const domain = `without-tags-${owner.id}.example`;
  await control('POST', '/identities', { domain });
  const verifiedFor = ({ id }: { id: number }) => recipientsVerified(id, [`somebody@${domain}`]);
  const own = (fields: object) => table.put({ Item: { ...keys.domainOwner(domain), team_id: owner.id, ...fields } });
  expect(await verifiedFor(team)).toBe(true);
  await own({ pending: true });
  expect(await verifiedFor(team)).toBe(true);
  await own({});
  expect([await verifiedFor(team), await verifiedFor(owner)]).toEqual([false, true]);
});
