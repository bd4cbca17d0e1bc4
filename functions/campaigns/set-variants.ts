import * as z from 'zod';
import { maxVariants, minVariants } from '../../shared/domain/campaigns/ab-test.ts';
import { edit } from '../../shared/flows/campaigns/edit.ts';
import { dataOf, endpoint } from '../../shared/http/endpoint.ts';
import { singleLine } from '../../shared/http/schemas.ts';
import { missingOfTest } from './campaign-fields.ts';
import { campaignParams } from './schemas.ts';
import { variant, variantViews } from './variant-schemas.ts';

const variantInput = z
  .object({ label: singleLine(100), subject: singleLine(255), from_name: singleLine(100, 0).nullish() })
  .meta({ id: 'CampaignVariantInput' });

const variantsInput = z
  .array(variantInput)
  .min(minVariants, `at least ${minVariants} variants`)
  .max(maxVariants, `at most ${maxVariants} variants`)
  .superRefine((variants, context) => {
    for (const [index, { label }] of variants.entries())
      if (variants.findIndex((other) => other.label === label) < index)
        context.addIssue({ code: 'custom', message: 'another variant has this label', path: [index, 'label'] });
  });

export const setVariants = endpoint({
  method: 'POST',
  path: '/campaigns/{campaign}/variants',
  scope: 'campaigns:write',
  sendsWhen: 'while the campaign is scheduled',
  summary: "Replace a campaign's variants and switch its A/B test on",
  params: campaignParams,
  body: z.object({ variants: variantsInput }).meta({ id: 'CampaignVariantsInput' }),
  response: dataOf(z.array(variant)),

  async handle({ caller, params, body }) {
    const variants = body.variants.map(({ label, subject, from_name }, index) => {
      return { id: index + 1, label, subject, from_name: from_name || null };
    });
    const changed = await edit(caller, params.campaign, (stored) => {
      const fields = { ab_test_enabled: true, ...missingOfTest({ ...stored, ab_test_enabled: true }) };
      return { attributes: { ...fields, variants } };
    });
    return { data: await variantViews(caller.teamId, changed) };
  },
});
