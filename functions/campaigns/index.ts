import { serve } from '../../shared/http/serve.ts';
import { cancelCampaign } from './cancel-campaign.ts';
import { createCampaign } from './create-campaign.ts';
import { deleteCampaign } from './delete-campaign.ts';
import { getCampaign } from './get-campaign.ts';
import { getReport } from './get-report.ts';
import { listCampaigns } from './list-campaigns.ts';
import { listRecipients } from './list-recipients.ts';
import { preflightCampaign } from './preflight-campaign.ts';
import { sendCampaign } from './send-campaign.ts';
import { setContent } from './set-content.ts';
import { testCampaign } from './test-campaign.ts';
import { updateCampaign } from './update-campaign.ts';

export const endpoints = {
  listCampaigns,
  createCampaign,
  getCampaign,
  updateCampaign,
  deleteCampaign,
  setCampaignContent: setContent,
  preflightCampaign,
  sendCampaign,
  cancelCampaign,
  testCampaign,
  getCampaignReport: getReport,
  listCampaignRecipients: listRecipients,
};
export const handler = serve(endpoints);
