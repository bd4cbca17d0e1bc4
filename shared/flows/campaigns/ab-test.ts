import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as pageResults from '../../data/campaigns/page-results.ts';
import * as recipients from '../../data/campaigns/recipients.ts';
import * as sendCounters from '../../data/campaigns/send-counters.ts';
import * as sends from '../../data/campaigns/sends.ts';
import * as engagement from '../../data/events/engagement.ts';
import { type Variant, type VariantCounts, variantOf, winnerOf } from '../../domain/campaigns/ab-test.ts';
import { timestamp } from '../../domain/time.ts';

/** What decides which variant a recipient gets; a tombstone has only the id. */
export type Tested = Pick<CampaignItem, 'id'> & Partial<Pick<CampaignItem, 'winner_variant_id'>>;

/** The variant of each recipient of a page; none in a campaign without an A/B test. */
export function variantsOf(campaign: Tested, { letters }: recipients.RecipientPage): (number | undefined)[] {
  return [...(letters ?? '')].map((letter) => variantOf(letter) ?? campaign.winner_variant_id ?? undefined);
}

/** Changes a campaign that is being sent, unless it has another run or its A/B test another phase by now. */
export const changeInPhase = (teamId: number, { id, run, test }: CampaignItem, attributes: Partial<CampaignItem>) =>
  campaigns.change(teamId, id, ['sending'], attributes, { run, test });

/** The indexes of a page's pending recipients; during an A/B test, only of those in the test. */
export function toSend(
  { test }: CampaignItem,
  page: recipients.RecipientPage,
  result: pageResults.PageResult | undefined,
): number[] {
  if (test?.phase === 'waiting') return [];
  return pageResults.statusesOf(result, page.recipients.length).flatMap((status, index) => {
    const outside = test?.phase === 'test' && recipients.partOf(page, index) === 'rest';
    return status === 'pending' && !outside ? [index] : [];
  });
}

/** Starts the wait for opens and clicks, with the job that ends it. */
export async function awaitReactions(teamId: number, campaign: CampaignItem): Promise<void> {
  const decide_at = timestamp(Date.now() + campaign.ab_test_delay_minutes! * 60_000);
  await sends.awaitDecision(teamId, campaign, { ...campaign.test!, phase: 'waiting', decide_at });
}

/** Decides the test: the rest of the audience gets the winner. Later opens and clicks count in the report only. */
export async function decide(teamId: number, campaign: CampaignItem, accounted: number): Promise<void> {
  const winner_variant_id = winnerOf(await variantResults(teamId, campaign), campaign.ab_winner_metric!);
  const rest = { ...campaign.test!, phase: 'rest' } as const;
  const progress = { accounted, at: timestamp() };
  const decided = { winner_variant_id, test: rest, progress, sweep: undefined, sweeps: undefined };
  await changeInPhase(teamId, campaign, decided);
}

/** The campaign's variants with their messages, opens and clicks so far. */
export async function variantResults(teamId: number, campaign: CampaignItem): Promise<(Variant & VariantCounts)[]> {
  const variants = campaign.variants ?? [];
  if (variants.length === 0) return [];
  const ids = variants.map(({ id }) => id);
  const [sent, feedback] = await Promise.all([
    sendCounters.sentByVariant(teamId, campaign.id, ids),
    engagement.counts(teamId, campaign.id),
  ]);
  return variants.map((variant, index) => ({
    ...variant,
    sent: sent[index]!,
    opened: feedback[`opened_${variant.id}`] ?? 0,
    clicked: feedback[`clicked_${variant.id}`] ?? 0,
  }));
}
