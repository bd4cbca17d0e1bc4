const MAX_LINKS = 250;
const ANCHOR = /<a(?=[\s/])(?:[^>"']|"[^"]*"|'[^']*')*>/gi;
const ATTRIBUTE = /([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;
const TRACKABLE = /^https?:\/\/[\w.~:/?#[\]@!$&'()*+,;=%-]+$/i;
const ENTITIES: Readonly<Record<string, string>> = { amp: '&', quot: '"', apos: "'", lt: '<', gt: '>' };

/** The last part of an open or click URL: the message and, for a click, the number of the link. */
export function trackingToken(uuid: string, index: number, link?: number): string {
  return link === undefined ? `${uuid}-${index}` : `${uuid}-${index}-${link}`;
}

/** The URLs of the tracked links in a message, in the order of their numbers. */
export function linksOf(html: string): string[] {
  const urls: string[] = [];
  rewrite(html, (url) => {
    urls.push(url);
    return url;
  });
  return urls;
}

/** Replaces the URL of every tracked link with `target(number)`; `ses:no-track` and `mailto:` links stay. */
export function rewriteLinks(html: string, target: (number: number) => string): string {
  let number = 0;
  return rewrite(html, () => target(number++));
}

/** Adds the open pixel at the end of the body. */
export function addPixel(html: string, url: string): string {
  const pixel = `<img alt="" src="${url}" style="display: none; width: 1px; height: 1px;">`;
  const end = Math.max(html.lastIndexOf('</body>'), html.lastIndexOf('</BODY>'));
  return end === -1 ? html + pixel : html.slice(0, end) + pixel + html.slice(end);
}

function rewrite(html: string, replace: (url: string) => string): string {
  let count = 0;
  return html.replace(ANCHOR, (anchor) => {
    const source = anchor.slice(2, -1);
    const attributes = new Map(
      [...source.matchAll(ATTRIBUTE)].map(([, name, ...values]) => [
        name!.toLowerCase(),
        values.find((value) => value !== undefined) ?? '',
      ]),
    );
    const url = decode(attributes.get('href') ?? '').trim();
    let target: string | undefined;
    if (TRACKABLE.test(url) && !attributes.has('ses:no-track') && count < MAX_LINKS) {
      count += 1;
      target = replace(url).replaceAll('&', '&amp;');
    }
    const rewritten = source.replace(ATTRIBUTE, (attribute, name: string) => {
      if (/^ses:/i.test(name)) return '';
      return target !== undefined && name.toLowerCase() === 'href' ? `href="${target}"` : attribute;
    });
    return `<a${rewritten}>`;
  });
}

function decode(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (entity, hex?: string, decimal?: string, name?: string) => {
    if (name) return ENTITIES[name.toLowerCase()] ?? entity;
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
  });
}
