import { config } from '../../aws/config.ts';
import type * as mailer from '../../aws/mailer.ts';
import type * as campaigns from '../../data/campaigns/campaigns.ts';
import * as pageResults from '../../data/campaigns/page-results.ts';
import type * as recipients from '../../data/campaigns/recipients.ts';
import * as suppressions from '../../data/contacts/suppressions.ts';
import { signingKey } from '../../data/signing-key.ts';
import type { Variant } from '../../domain/campaigns/ab-test.ts';
import type { LedgerStatus } from '../../domain/campaigns/recipient-ledger.ts';
import { contactValues, slotValues } from '../../domain/messages/merge-tags.ts';
import { unsubscribeHeaders } from '../../domain/messages/unsubscribe-headers.ts';
import { variantsOf } from './ab-test.ts';
import { addressees } from './addressees.ts';
import { compiledMessage } from './compile-campaign.ts';
import { unsubscribeToken } from './unsubscribe-link.ts';

/** A message to one recipient of the page, by its index, in one of the variants of an A/B test. */
export type Addressed = mailer.BulkMessage & { index: number; variant: Variant | undefined };

/** Statuses after the checks, messages to send, and why others are not sent. */
export interface Rendered {
  checked: LedgerStatus[];
  messages: Addressed[];
  lost: Record<string, string>;
}

/** What is still to send on a page. */
interface ToRender {
  result: pageResults.PageResult | undefined;
  before: LedgerStatus[];
  /** Indexes of recipients. */
  wanted: number[];
}

/** Checks the wanted recipients of a page against contacts and suppressions, and renders their messages. */
export async function render(
  teamId: number,
  campaign: campaigns.CampaignItem,
  page: recipients.RecipientPage,
  { result, before, wanted }: ToRender,
): Promise<Rendered> {
  const emails = wanted.map((index) => page.recipients[index]!.email).filter(Boolean);
  const variants = variantsOf(campaign, page).map((id) => campaign.variants?.find((variant) => variant.id === id));
  const [mailable, suppressed, key] = await Promise.all([
    addressees(teamId, campaign, emails),
    suppressions.batch(teamId, emails),
    signingKey(),
  ]);
  const used = [...new Set(wanted.map((index) => variants[index]))];
  const compiled = new Map(
    await Promise.all(
      used.map(async (variant) => [variant, await compiledMessage(teamId, campaign, variant)] as const),
    ),
  );
  const rendered: Rendered = { checked: [...before], messages: [], lost: {} };
  for (const index of wanted) {
    const { email, contact_id } = page.recipients[index]!;
    const addressee = suppressed.has(email) ? undefined : mailable.get(email);
    if (!addressee || addressee.lost) {
      const resent = pageResults.isResent(result, index);
      rendered.checked[index] = resent ? 'unknown' : addressee ? 'failed' : 'suppressed';
      if (addressee) rendered.lost[index] = 'its merge values are no longer kept';
      else if (resent) rendered.lost[index] = 'not sent again: it may no longer be mailed';
      continue;
    }
    const variant = variants[index];
    const place = { email, contact_id, page: page.number, index };
    const url = `${config.baseUrl}/unsubscribe/${unsubscribeToken(key, teamId, campaign.id, place)}`;
    rendered.messages.push({
      index,
      variant,
      to: email,
      slots: slotValues(compiled.get(variant)!, contactValues(addressee, { unsubscribe_url: url })),
      headers: unsubscribeHeaders(url),
      tags: {
        team: String(teamId),
        campaign: String(campaign.id),
        page: String(page.number),
        index: String(index),
        ...(variant && { variant: String(variant.id) }),
      },
    });
  }
  return rendered;
}
