import { expect, it } from 'vitest';
import * as engagement from '../../../shared/data/events/engagement.ts';
import { keys } from '../../../shared/data/keys.ts';
import * as table from '../../../shared/data/table.ts';
import { timestamp } from '../../../shared/domain/time.ts';
import { applyClick } from '../../../shared/flows/feedback/apply-click.ts';
import { useSharedTable } from '../../support/data.ts';
import { newTeam } from '../../support/team.ts';

useSharedTable();

const [campaign, email, start] = [3, 'checked@example.com', Date.now() - 3_600_000];
const at = (seconds: number) => timestamp(start + seconds * 1_000);

/** A recipient whose link checker has made 600 clicks in a minute, and what applies a further click. */
async function checkedRecipient() {
  const { id: teamId } = await newTeam();
  const checks = Array.from({ length: 600 }, (_, id) => {
    const time = timestamp(start + id * 100);
    return { ...keys.click(teamId, campaign, email, time, id), who: email, at: time, id, link: `${id % 5}` };
  });
  await table.batchPut(checks.map((check) => ({ ...check, contact_id: null, machine: 'click_burst' })));
  let [id, clicked] = [1_000, 0];
  return {
    teamId,
    click: async (seconds: number, machine?: string, page = 'page') => {
      const incoming = { email, event: 'clicked', campaign_id: campaign, contact_id: null, provider: 'ses' } as const;
      const metadata = { url: `https://example.com/${page}` };
      const event = { ...incoming, source: 'provider', metadata, occurred_at: at(seconds) };
      const judged = await applyClick(teamId, campaign, {
        event,
        id: id++,
        contact: undefined,
        machine,
        variant: undefined,
      });
      clicked += Number(judged.change);
      return judged.machine;
    },
    noted: async () => ({ clicked, at: (await engagement.find(teamId, campaign, email))?.clicked_at }),
  };
}

it("keeps a person's click among very many of a program, whatever the program clicks later", async () => {
  const { click, noted } = await checkedRecipient();
  await click(100);
  expect(await noted()).toEqual({ clicked: 1, at: at(100) });
  await click(200, 'user_agent');
  expect(await noted()).toEqual({ clicked: 1, at: at(100) });
  // Later ones do not move it; one that comes in late and is earlier does.
  await click(300);
  await click(90);
  expect(await noted()).toEqual({ clicked: 1, at: at(90) });
});

it("takes back a click that a burst shows to be a program's, but not for the person's that followed it", async () => {
  const { click, noted } = await checkedRecipient();
  await click(100, undefined, 'a');
  await click(100.2, undefined, 'b');
  expect(await noted()).toEqual({ clicked: 1, at: at(100) });
  expect(await click(100.4, undefined, 'c')).toBe('click_burst');
  expect(await noted()).toEqual({ clicked: 0, at: undefined });
  await click(200, undefined, 'a');
  await click(210);
  await click(200.2, undefined, 'b');
  await click(200.4, undefined, 'c');
  expect(await noted()).toEqual({ clicked: 1, at: at(210) });
});

it('takes links of one template for as many as were followed', async () => {
  const { teamId, click, noted } = await checkedRecipient();
  const links = [1, 2, 3].map((n) => `<a href="https://example.com/{{metadata.p${n}}}">${n}</a>`);
  await table.put({ Item: { ...keys.content(teamId, campaign), html_content: links.join(), plain_content: null } });
  await click(100, undefined, 'a');
  await click(100.2, undefined, 'a');
  await click(100.4, undefined, 'b');
  expect(await noted()).toEqual({ clicked: 1, at: at(100) });
  expect(await click(100.6, undefined, 'c')).toBe('click_burst');
  expect(await noted()).toEqual({ clicked: 0, at: undefined });
});
