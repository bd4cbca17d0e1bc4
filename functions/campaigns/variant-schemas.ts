import * as z from 'zod';
import type { CampaignItem } from '../../shared/data/campaigns/campaigns.ts';
import { percentage } from '../../shared/domain/reports/report.ts';
import { variantResults } from '../../shared/flows/campaigns/ab-test.ts';
import { id } from '../../shared/http/schemas.ts';

/** A variant of an A/B test in a response, with its results. */
export const variant = z
  .object({
    id,
    label: z.string(),
    subject: z.string(),
    from_name: z.string().nullable(),
    is_winner: z.boolean(),
    sent: z.int(),
    opened: z.int(),
    clicked: z.int(),
    open_rate: z.number(),
    click_rate: z.number(),
  })
  .meta({ id: 'CampaignVariant' });

/** A campaign's variants as the API shows them; rates are of each variant's own messages. */
export async function variantViews(teamId: number, campaign: CampaignItem): Promise<z.input<typeof variant>[]> {
  const results = await variantResults(teamId, campaign);
  return results.map((result) => ({
    ...result,
    is_winner: result.id === campaign.winner_variant_id,
    open_rate: percentage(result.opened, result.sent),
    click_rate: percentage(result.clicked, result.sent),
  }));
}
