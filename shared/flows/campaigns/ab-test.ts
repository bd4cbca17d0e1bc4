import type { CampaignItem } from '../../data/campaigns/campaigns.ts';
import * as campaigns from '../../data/campaigns/campaigns.ts';
import * as recipients from '../../data/campaigns/recipients.ts';
import * as sends from '../../data/campaigns/sends.ts';
import * as engagement from '../../data/events/engagement.ts';
import { type Variant, type VariantCounts, variantOf, winnerOf } from '../../domain/campaigns/ab-test.ts';
import { timestamp } from '../../domain/time.ts';

/** What of a campaign says which variant a recipient gets; of a deleted one only the id is left. */
export type Tested = Pick<CampaignItem, 'id'> & Partial<Pick<CampaignItem, 'winner_variant_id'>>;

/** The variant that each recipient of a leaf is sent; none in a campaign without an A/B test. */
export function variantsOf(campaign: Tested, { dealt }: recipients.RecipientPage): (number | undefined)[] {
  return [...(dealt ?? '')].map((letter) => variantOf(letter) ?? campaign.winner_variant_id ?? undefined);
}

/** What must be as it was read when a step notes how far it came: another run, or the next phase, begins anew. */
export const inThisPhase = ({ run, test }: CampaignItem): Partial<CampaignItem> => ({ run, test });

/** The places on a page whose recipients are to be sent now: all that are pending, or in the test of an A/B campaign only those in it. */
export function toSend(
  { test }: CampaignItem,
  leaf: recipients.RecipientPage,
  row: recipients.PageResult | undefined,
): number[] {
  if (test?.phase === 'waiting') return [];
  return recipients.statusesOf(row, leaf.recipients.length).flatMap((status, index) => {
    const outside = test?.phase === 'test' && recipients.partOf(leaf, index) === 'rest';
    return status === 'pending' && !outside ? [index] : [];
  });
}

/** Lets a campaign whose test slice is sent wait for people to open and click; the reminder that wakes it is the same write. */
export async function awaitReactions(teamId: number, campaign: CampaignItem): Promise<void> {
  const decide_at = timestamp(Date.now() + campaign.ab_test_delay_minutes! * 60_000);
  await sends.awaitDecision(teamId, campaign, { ...campaign.test!, phase: 'waiting', decide_at });
}

/** Decides the test: from now on everybody else gets the winner. Who opens or clicks later counts in the report, not here. */
export async function decide(teamId: number, campaign: CampaignItem, accounted: number): Promise<void> {
  const winner_variant_id = winnerOf(await variantResults(teamId, campaign), campaign.ab_winner_metric!);
  const rest = { ...campaign.test!, phase: 'rest' } as const;
  const progress = { accounted, at: timestamp() };
  const decided = { winner_variant_id, test: rest, progress, sweep: undefined, sweeps: undefined };
  await campaigns.change(teamId, campaign.id, ['sending'], decided, inThisPhase(campaign));
}

/** The campaign's variants with what their messages brought so far. */
export async function variantResults(teamId: number, campaign: CampaignItem): Promise<(Variant & VariantCounts)[]> {
  const variants = campaign.variants ?? [];
  if (variants.length === 0) return [];
  const ids = variants.map(({ id }) => id);
  const [sent, feedback] = await Promise.all([
    recipients.sentByVariant(teamId, campaign.id, ids),
    engagement.counts(teamId, campaign.id),
  ]);
  return variants.map((variant, index) => ({
    ...variant,
    sent: sent[index]!,
    opened: feedback[`opened_${variant.id}`] ?? 0,
    clicked: feedback[`clicked_${variant.id}`] ?? 0,
  }));
}
