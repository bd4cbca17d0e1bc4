import { recipientPageItem } from '../../shared/data/campaigns/recipients.ts';
import { keys } from '../../shared/data/keys.ts';
import { concurrently } from '../../shared/domain/concurrently.ts';
import type { Contact } from '../../shared/domain/contacts/contact.ts';
import { pageSize } from '../../shared/domain/events/place.ts';
import { timestamp } from '../../shared/domain/time.ts';
import type { Row } from '../support/table.ts';
import type { BenchStack } from './bench-stack.ts';
import { newContacts } from './requests.ts';

const unsaid = 'bench-bench-bench-bench-bench-bench';

/** `count` active contacts with ids from `firstId`; `more` overrides attributes of each. */
export function contactRows(
  count: number,
  firstId: number,
  more: (index: number) => { at: string } & Partial<Contact>,
): Contact[] {
  return newContacts(count).map((fields, index) => {
    const { at, ...rest } = more(index);
    return {
      ...fields,
      id: firstId + index,
      status: 'active',
      soft_bounce_count: 0,
      tag_ids: [],
      list_ids: [],
      created_at: at,
      updated_at: at,
      subscribed_at: at,
      created_by: unsaid,
      version: 1,
      ...rest,
    };
  });
}

/** The pages of a campaign that was sent to every recipient. */
export function sentPages(teamId: number, campaignId: number, emails: readonly string[]): Row[] {
  const at = timestamp();
  const sorted = [...emails].sort();
  const pages = Array.from({ length: Math.ceil(sorted.length / pageSize) }, (_, page) =>
    sorted.slice(page * pageSize, (page + 1) * pageSize).map((email, index) => ({ email, contact_id: index + 1 })),
  );
  return [
    ...pages.map((page, number) => ({ ...recipientPageItem(teamId, campaignId, number, page) })),
    ...pages.map((page, number) => ({
      ...keys.page(teamId, campaignId, number),
      state: 'done',
      leaf: page[0]!.email,
      statuses: 's'.repeat(page.length),
      claim_id: unsaid,
      lease_until: at,
      sent_at: at,
    })),
  ];
}

/** Writes rows directly; the API would take minutes. */
export async function writeRows(stack: BenchStack, rows: readonly Row[]): Promise<void> {
  const table = await stack.table();
  const chunks = Array.from({ length: Math.ceil(rows.length / 500) }, (_, at) => rows.slice(at * 500, at * 500 + 500));
  // Undefined values are not attributes.
  await concurrently(chunks, 4, (chunk) => table.write(JSON.parse(JSON.stringify(chunk))));
}
