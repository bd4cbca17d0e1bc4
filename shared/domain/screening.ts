const link = /<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))[^>]*>([\s\S]*?)<\/a>/gi;
const rawIp = /^(?:\d{1,3}(?:\.\d{1,3}){3}|\[[0-9a-f:.]+\])$/i;
const hostInText = /\b(?:https?:\/\/)?((?:[a-z0-9-]+\.)+[a-z]{2,24})\b/i;
const shorteners = new Set([
  'bit.ly',
  'tinyurl.com',
  't.co',
  'goo.gl',
  'ow.ly',
  'is.gd',
  'buff.ly',
  'rebrand.ly',
  'cutt.ly',
  'rb.gy',
]);

const hostOf = (url: string): string | undefined => {
  try {
    return new URL(url.trim()).hostname.toLowerCase().replace(/^www\./, '');
  } catch {
    return undefined;
  }
};

/** Why a campaign's content must wait for an operator (docs/decisions: abuse screening); empty when it is clean. */
export function contentFindings(html: string): string[] {
  const findings = new Set<string>();
  for (const [, double, single, bare, inner = ''] of html.matchAll(link)) {
    const host = hostOf(double ?? single ?? bare ?? '');
    if (!host) continue;
    if (rawIp.test(host)) findings.add(`a link to a raw IP address: ${host}`);
    if (shorteners.has(host)) findings.add(`a link through a URL shortener: ${host}`);
    const shown = hostInText
      .exec(inner.replace(/<[^>]*>/g, ' '))?.[1]
      ?.toLowerCase()
      .replace(/^www\./, '');
    if (shown && shown !== host && !host.endsWith(`.${shown}`) && !shown.endsWith(`.${host}`))
      findings.add(`a link whose text names ${shown} but leads to ${host}`);
  }
  return [...findings];
}
