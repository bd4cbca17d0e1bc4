import type { IncomingEvent } from './delivery-event.ts';

// Where each comes from, and what is left out on purpose: docs/decisions/machine-engagement.md.

/** Agents that fetch images before, or whether or not, anybody looks. */
const prefetchAgents = new RegExp(
  [
    '^Mozilla/5\\.0$', // Apple Mail Privacy Protection
    'Edge/12\\.246 Mozilla/5\\.0$', // Gmail, while its app is open
    'GoogleImageProxy|ggpht\\.com', // Gmail, ahead and on opening alike
    'YahooMailProxy',
  ].join('|'),
  'i',
);

/** Agents that say that they check, preview or crawl; each must be unlike anything that a reader's program says. */
const scannerAgents = new RegExp(
  [
    // Mail gateways.
    'barracuda|proofpoint|urldefense|mimecast|symantec|messagelabs|safelinks|trend ?micro|forcepoint|fireeye|cloudmark|sophos',
    'ironport|cisco[ -]?secure[ -]?email|forti(?:guard|mail|sandbox)',
    // Whoever calls itself a bot or leaves the address of a page about itself. A Cubot is a phone.
    '(?<!\\bcu)bots?(?![a-z\\d])|crawler|spider|\\+https?://',
    // Previews of links, and crawlers of other names.
    'facebookexternal|skypeuripreview|bingpreview|google web preview|kakaotalk-scrap|^whatsapp/|^iframely|slurp|ia_archiver',
    'mediapartners-google|apis-google|feedfetcher-google|google-inspectiontool|googleother',
    // Libraries and commands of programs.
    'curl/|wget/|python-requests|python-urllib|python-httpx|aiohttp/|go-http-client|libwww-perl|guzzlehttp|node-fetch',
    '^(?:axios|undici|got|java|apache-httpclient|postmanruntime|httpie|scrapy)\\b',
    // Browsers without a screen.
    'headlesschrome|phantomjs|slimerjs|chrome-lighthouse',
  ].join('|'),
  'i',
);

/** Agents whose clicks are a program's; an open by the same is that of an app on a phone, which loads its images so. */
const clickingAgents = /^okhttp\//i;

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
  const agent = typeof user_agent === 'string' ? user_agent.trim() : '';
  if (bot === true) return 'provider';
  if (scannerAgents.test(agent)) return 'scanner_agent';
  if (event.event === 'clicked') return clickingAgents.test(agent) ? 'scanner_agent' : undefined;
  if (event.metadata.method === 'HEAD') return 'head_request';
  if (prefetchAgents.test(agent)) return 'prefetch_agent';
  return deliveredAt !== undefined && openedTooSoon(event.occurred_at, deliveredAt) ? tooSoonReason : undefined;
}
