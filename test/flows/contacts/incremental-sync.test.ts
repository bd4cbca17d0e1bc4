import { expect, it } from 'vitest';
import { newTeam } from '../../support/team.ts';
import { person, served, stack } from './incremental-sync.setup.ts';

it('shows a write to a read right after it', async () => {
  const team = await newTeam({ origin: stack.origin });
  for (let turn = 0; turn < 3; turn++) {
    const { data } = await served(team.api('POST', '/contacts', { email: person(0), metadata: { turn } }));
    const since = encodeURIComponent(data.updated_at);
    expect((await served(team.api('GET', `/contacts?updated_since=${since}`))).data).toEqual([data]);
  }
});
