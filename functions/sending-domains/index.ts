import { serve } from '../../shared/http/serve.ts';
import { createDomain } from './create-domain.ts';
import { deleteDomain } from './delete-domain.ts';
import { getDomain } from './get-domain.ts';
import { listDomains } from './list-domains.ts';

export const endpoints = {
  listSendingDomains: listDomains,
  createSendingDomain: createDomain,
  getSendingDomain: getDomain,
  deleteSendingDomain: deleteDomain,
};
export const handler = serve(endpoints);
