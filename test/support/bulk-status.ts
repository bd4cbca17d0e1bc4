import type { BulkEmailStatus } from '@aws-sdk/client-sesv2';

/** What a campaign does with recipients whose message SES answers with a status; the SDK names them all. */
export const handling: Record<BulkEmailStatus, 'sends' | 'fails' | 'retries' | 'pauses' | 'waits for its team'> = {
  SUCCESS: 'sends',
  FAILED: 'fails',
  INVALID_PARAMETER: 'fails',
  MESSAGE_REJECTED: 'fails',
  ACCOUNT_THROTTLED: 'retries',
  TRANSIENT_FAILURE: 'retries',
  ACCOUNT_DAILY_QUOTA_EXCEEDED: 'pauses',
  ACCOUNT_SENDING_PAUSED: 'pauses',
  ACCOUNT_SUSPENDED: 'pauses',
  CONFIGURATION_SET_NOT_FOUND: 'pauses',
  CONFIGURATION_SET_SENDING_PAUSED: 'pauses',
  INVALID_SENDING_POOL_NAME: 'pauses',
  TEMPLATE_NOT_FOUND: 'pauses',
  MAIL_FROM_DOMAIN_NOT_VERIFIED: 'waits for its team',
};
