import type { IncomingEvent } from './delivery-event.ts';

const prefetchAgents = /GoogleImageProxy|ggpht\.com|YahooMailProxy|^Mozilla\/5\.0$/i;
const scannerAgents =
  /barracuda|proofpoint|mimecast|symantec|messagelabs|trendmicro|forcepoint|fireeye|cloudmark|sophos|urldefense|safelinks|bot\b|crawler|spider|python-requests|curl\/|wget\/|headlesschrome|go-http-client/i;

/** An open this soon after delivery was made by a machine. */
export const machineOpenWindowMs = 2_000;

/** Why an open right after its delivery was a machine's. */
export const tooSoonReason = 'within_2s_of_delivery';

/** Whether an open came sooner after its delivery than a person can open. */
export function openedTooSoon(openedAt: string, deliveredAt: string): boolean {
  const sinceDelivery = Date.parse(openedAt) - Date.parse(deliveredAt);
  return sinceDelivery >= 0 && sinceDelivery < machineOpenWindowMs;
}

/** Why an open or click was made by a machine; undefined for a human's. `deliveredAt` is when the message arrived, where known. */
export function machineReason(event: IncomingEvent, deliveredAt: string | undefined): string | undefined {
  if (event.event !== 'opened' && event.event !== 'clicked') return undefined;
  const { bot, user_agent } = event.metadata;
  const agent = typeof user_agent === 'string' ? user_agent : '';
  if (bot === true) return 'provider';
  if (scannerAgents.test(agent)) return 'scanner_agent';
  if (event.event === 'clicked') return undefined;
  if (event.metadata.method === 'HEAD') return 'head_request';
  if (prefetchAgents.test(agent)) return 'prefetch_agent';
  return deliveredAt !== undefined && openedTooSoon(event.occurred_at, deliveredAt) ? tooSoonReason : undefined;
}
