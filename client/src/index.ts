export { ApiError, ConnectionError } from './errors.ts';
export * from './generated/api.ts';
export type * from './generated/types.ts';
export { Listing, type Page, type PageQuery } from './listing.ts';
export type { ClientOptions, RequestOptions, Retry } from './transport.ts';
export { signatureHeader, verifyWebhook, type WebhookDelivery, WebhookVerificationError } from './webhooks.ts';
