import { serve } from '../../shared/http/serve.ts';
import { cancelCampaign } from './cancel-campaign.ts';
import { createCampaign } from './create-campaign.ts';
import { deleteCampaign } from './delete-campaign.ts';
import { getAudienceImport } from './get-audience-import.ts';
import { getCampaign } from './get-campaign.ts';
import { getLinkReport } from './get-link-report.ts';
import { getReport } from './get-report.ts';
import { getVariantReport } from './get-variant-report.ts';
import { listCampaigns } from './list-campaigns.ts';
import { listRecipients } from './list-recipients.ts';
import { pauseCampaign } from './pause-campaign.ts';
import { preflightCampaign } from './preflight-campaign.ts';
import { resendUnknown } from './resend-unknown.ts';
import { resumeCampaign } from './resume-campaign.ts';
import { scheduleCampaign } from './schedule-campaign.ts';
import { sendCampaign } from './send-campaign.ts';
import { setContent } from './set-content.ts';
import { setVariants } from './set-variants.ts';
import { revokeReport, shareReport } from './share-report.ts';
import { testCampaign } from './test-campaign.ts';
import { updateCampaign } from './update-campaign.ts';

export const endpoints = {
  listCampaigns,
  createCampaign,
  getCampaign,
  updateCampaign,
  deleteCampaign,
  setCampaignContent: setContent,
  setCampaignVariants: setVariants,
  preflightCampaign,
  sendCampaign,
  cancelCampaign,
  scheduleCampaign,
  pauseCampaign,
  resumeCampaign,
  resendUnknown,
  testCampaign,
  getCampaignReport: getReport,
  getCampaignLinkReport: getLinkReport,
  shareCampaignReport: shareReport,
  revokeCampaignReport: revokeReport,
  getCampaignVariantReport: getVariantReport,
  listCampaignRecipients: listRecipients,
  getAudienceImport,
};
export const handler = serve(endpoints);
