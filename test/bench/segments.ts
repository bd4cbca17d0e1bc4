import { setTimeout as sleep } from 'node:timers/promises';
import { toItem } from '../../shared/data/contacts/contact-item.ts';
import { keys } from '../../shared/data/keys.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { timestamp } from '../../shared/domain/time.ts';
import type { Row } from '../support/table.ts';
import type { BenchStack } from './bench-stack.ts';
import { processUsed as used } from './process.ts';
import { accepted } from './requests.ts';
import { consumedBy, median, type Result, round, timings } from './results.ts';
import { contactRows, sentPages, writeRows } from './table-rows.ts';

const day = 86_400_000;
/** API Gateway gives up on a request after 30 seconds. */
const answerSeconds = 29;
/** Ids beyond those that the API assigns. */
const [firstContact, campaignId] = [1_000_000, 1_000_000];

/**
 * Cost and duration of listings and previews with many contacts: every tenth is tagged, every hundredth unsubscribed,
 * every second was sent a campaign.
 */
export async function measureSegments(stack: BenchStack, count: number): Promise<Result[]> {
  const { id: teamId } = (await accepted(stack.call('GET', '/me'))).team;
  const tag = await accepted(stack.call('POST', '/tags', { name: 'Tenth' }));
  const contacts = contactsOf(count, tag.id);
  await writeRows(stack, [
    ...contacts.map((contact) => toItem(teamId, contact)),
    ...contacts.flatMap(({ id, email, tag_ids }) =>
      tag_ids.map((tagId) => ({ ...keys.tagging(teamId, tagId, email), id })),
    ),
    { ...keys.tag(teamId, tag.id), ...tag, contacts_count: Math.ceil(count / 10) },
    { ...keys.counter(teamId, 'contact'), last: firstContact + count },
    ...sentCampaign(
      teamId,
      contacts.flatMap(({ email }, index) => (index % 2 === 0 ? email : [])),
    ),
  ]);
  const page = (what: string, query: string) => listing(stack, what, `/contacts?per_page=25${query}`);
  const preview = (what: string, definition: object) =>
    previewing(stack, `preview of ${round(count)} contacts, ${what}`, definition);
  return [
    await page('25 contacts', ''),
    await page('25 contacts with tags and lists', '&include=tags,lists'),
    await page('25 contacts with a tag', `&tag_id=${tag.id}`),
    await page('25 contacts unsubscribed', '&status=unsubscribed'),
    await preview('all', {}),
    await preview('by company and day', { company: 'company 7', date_from: '2020-01-01' }),
    await preview('inactive', { engagement: { type: 'inactive', days: 30 } }),
    await preview('by tag', { tag_ids: [tag.id] }),
    await preview('received', { engagement: { type: 'received', days: 30 } }),
  ];
}

function contactsOf(count: number, tag: number): Contact[] {
  return contactRows(count, firstContact, (index) => {
    const at = timestamp(Date.now() - (index % 300) * day);
    return {
      at,
      status: index % 100 === 99 ? 'unsubscribed' : 'active',
      tag_ids: index % 10 === 0 ? [tag] : [],
      ...(index % 3 === 0 && { last_opened_at: at }),
    };
  });
}

/** A campaign that was sent to every recipient. */
function sentCampaign(teamId: number, emails: readonly string[]): Row[] {
  const at = timestamp();
  const campaign = { id: campaignId, status: 'sending', frozen_at: at, updated_at: at };
  return [...sentPages(teamId, campaignId, emails), { ...keys.campaign(teamId, campaignId), ...campaign }];
}

async function listing(stack: BenchStack, what: string, path: string): Promise<Result> {
  const get = () => accepted(stack.call('GET', path));
  await get();
  const p50 = median(await timings(20, get));
  const used = await stack.metered(() => timings(20, get));
  return {
    what: `listing, ${what}, p50`,
    figure: p50,
    unit: 'ms',
    details: consumedBy(used, 20, 'page'),
  };
}

async function previewing(stack: BenchStack, what: string, definition: object): Promise<Result> {
  let found = '';
  const preview = async () => {
    const { status, body } = await stack.call('POST', '/segments/preview', { definition });
    found = status === 200 ? `${round(body.data.count)} found` : `answered ${status}`;
  };
  const before = used(stack.pid());
  const watching = peak(stack.pid());
  const begun = performance.now();
  await preview();
  const seconds = (performance.now() - begun) / 1000;
  const highest = await watching.stop();
  const after = used(stack.pid());
  const process =
    before && after
      ? `; ${round(after.seconds - before.seconds)} s processor time of the stack, ` +
        `memory from ${round(before.megabytes)} to at most ${round(highest)} MB`
      : '';
  const metered = await stack.metered(preview);
  return {
    what,
    figure: found.endsWith('found') ? seconds : Number.NaN,
    unit: 's',
    atMost: answerSeconds,
    details: `${found}; ${consumedBy(metered, 1, 'preview')}${process}`,
  };
}

function peak(pid: number): { stop(): Promise<number> } {
  let [highest, stopped] = [0, false];
  const watching = (async () => {
    while (!stopped) {
      highest = Math.max(highest, used(pid)?.megabytes ?? 0);
      await sleep(20);
    }
  })();
  return {
    async stop() {
      stopped = true;
      await watching;
      return highest;
    },
  };
}
