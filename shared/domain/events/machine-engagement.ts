import type { IncomingEvent } from './delivery-event.ts';

// Sources, and what is left out on purpose: docs/decisions/machine-engagement.md.

/** Agents that fetch images without a reader, or before one opens the message. */
const prefetchAgents = new RegExp(
  [
    '^Mozilla/5\\.0$', // Apple Mail Privacy Protection
    'Edge/12\\.246 Mozilla/5\\.0$', // Gmail, while its app is open
    'GoogleImageProxy|ggpht\\.com', // Gmail, ahead and on opening alike
    'YahooMailProxy',
  ].join('|'),
  'i',
);

/** Agents that check, preview or crawl, by their own words; no pattern may match a mail client's agent. */
const scannerAgents = new RegExp(
  [
    // Mail gateways.
    'barracuda|proofpoint|urldefense|mimecast|symantec|messagelabs|safelinks|trend ?micro|forcepoint|fireeye',
    'cloudmark|sophos',
    'ironport|cisco[ -]?secure[ -]?email|forti(?:guard|mail|sandbox)',
    // Agents that call themselves bots or give the address of a page about themselves. A Cubot is a phone.
    '(?<!\\bcu)bots?(?![a-z\\d])|crawler|spider|\\+https?://',
    // Link previews, and crawlers under other names.
    'facebookexternal|skypeuripreview|bingpreview|google web preview|kakaotalk-scrap|^whatsapp/|^iframely|slurp',
    'ia_archiver',
    'mediapartners-google|apis-google|feedfetcher-google|google-inspectiontool|googleother',
    // HTTP libraries and command-line tools.
    'curl/|wget/|python-requests|python-urllib|python-httpx|aiohttp/|go-http-client|libwww-perl|guzzlehttp|node-fetch',
    '^(?:axios|undici|got|java|apache-httpclient|postmanruntime|httpie|scrapy)\\b',
    // Headless browsers.
    'headlesschrome|phantomjs|slimerjs|chrome-lighthouse',
  ].join('|'),
  'i',
);

/** Agents whose clicks are a program's; a mail app on a phone loads its images with the same agent. */
const clickingAgents = /^okhttp\//i;

/** An open within this time of its delivery is a machine's. */
export const machineOpenWindowMs = 2_000;

/** The reason for an open right after its delivery. */
export const tooSoonReason = 'within_2s_of_delivery';

/** Whether an open followed its delivery faster than a person can open a message. */
export function openedTooSoon(openedAt: string, deliveredAt: string): boolean {
  const sinceDelivery = Date.parse(openedAt) - Date.parse(deliveredAt);
  return sinceDelivery >= 0 && sinceDelivery < machineOpenWindowMs;
}

/** Why an open or click is a machine's; undefined for a person's. */
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
