import { hostShown } from './link-text.ts';
import { isShortener } from './shorteners.ts';

/** A problem with a link. */
export interface LinkFinding {
  kind: 'raw_ip' | 'shortener' | 'mismatch' | 'merged_host';
  text: string;
}

/** A link of a message. */
export interface Link {
  href: string;
  /** The visible text. */
  text: string;
}

const rawIp = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i;
const urlInText = /\b(?:https?:\/\/|www\.)[^\s<>"'“”‘’«»]+/gi;

/** Addresses in plain text, which mail readers show as links. */
export const linksInText = (text: string): Link[] =>
  [...text.matchAll(urlInText)].map(([url]) => ({ href: /^www/i.test(url) ? `http://${url}` : url, text: '' }));

/** What precedes a merge tag that cannot change the host: a whole host, or a scheme without one, such as `mailto:`. */
const hostGiven = [
  /^[?#]/,
  /^(?:(?:https?|ftp|file):[/\\]*|[/\\]+)[^/\\?#]+[/\\?#]/i,
  /^[^/\\?#:]+[/\\?#]/,
  /^(?!(?:https?|ftp|file):)[a-z][a-z\d+.-]*:/i,
];

/** Whether merge tags decide where a link leads; our own unsubscribe link is known. */
function isHostMerged(href: string): boolean {
  const tag = href.indexOf('{{');
  if (tag < 0 || /^\{\{\s*unsubscribe_url\s*(?:\||\}\})/.test(href)) return false;
  const before = href.slice(0, tag);
  return !hostGiven.some((form) => form.test(before));
}

/** A host without what does not tell it from another: `www.`, the dot of the root, punctuation of the text after it. */
function plainHost(hostname: string): string {
  const host = hostname.startsWith('[') ? hostname : (/^[\p{L}\p{M}\p{N}._-]+/u.exec(hostname)?.[0] ?? '');
  return host
    .toLowerCase()
    .replace(/^www\./, '')
    .replace(/\.$/, '');
}

/** Stands for the site that a relative link belongs to. */
const noHost = 'relative.invalid';
const noSite = `https://${noHost}/`;
/** The maximum length of a host (RFC 1035) with a dot at its end. */
const maxHost = 254;

/** A link's address as a browser reads it; undefined for one that leads nowhere. */
function resolve(href: string, base: string): URL | undefined {
  const url = URL.parse(href) ?? URL.parse(href, URL.parse(base, noSite)?.href ?? noSite);
  const leads = url && url.hostname !== '' && url.hostname.length <= maxHost && url.hostname !== noHost;
  return leads ? url : undefined;
}

const related = (one: string, other: string): boolean =>
  one === other || one.endsWith(`.${other}`) || other.endsWith(`.${one}`);

/** The links that hide where they lead, each finding once; `base` is what relative ones are relative to. */
export function linkFindings(links: readonly Link[], base = noSite): LinkFinding[] {
  const findings = new Map<string, LinkFinding>();
  const add = (kind: LinkFinding['kind'], text: string) => findings.set(text, { kind, text });
  for (const { href, text } of links) {
    // As a browser does: it ignores line breaks and tabs, and control characters around an address.
    const address = href.replace(/[\t\n\r]+/g, '').replace(/^[^\u0021-\u{10ffff}]+/u, '');
    if (isHostMerged(address)) add('merged_host', `a link whose host a merge tag makes: ${address.slice(0, 100)}`);
    const url = resolve(address, base);
    if (!url) continue;
    const host = plainHost(url.hostname);
    if (rawIp.test(host)) add('raw_ip', `a link to a raw IP address: ${host}`);
    if (isShortener(host)) add('shortener', `a link through a URL shortener: ${host}`);
    if (url.username || url.password) add('mismatch', `a link with a user name before its host, which is ${host}`);
    const readings = hostShown(text).map((name) => ({
      name,
      host: plainHost(URL.parse(`https://${name}`)?.hostname ?? name),
    }));
    if (readings.length > 0 && !readings.some((shown) => related(shown.host, host)))
      add('mismatch', `a link whose text names ${readings[0]!.name.toLowerCase().slice(0, 100)} but leads to ${host}`);
  }
  return [...findings.values()];
}
