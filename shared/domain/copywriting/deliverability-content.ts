import { type LinkFinding, linkFindings } from '../messages/link-findings.ts';
import { hasUnsubscribeTag, strayTags } from '../messages/merge-tags.ts';
import { type MessageParts, messageParts } from '../messages/message-parts.ts';
import { shoutedWords } from '../messages/shouting.ts';
import { type Check, check } from './deliverability-check.ts';
import { type Prose, readProse } from './prose.ts';
import { spamPhrases } from './spam-phrases.ts';

/** Gmail shows no more of a message's HTML than this. */
const clipBytes = 102 * 1024;
/** The maximum length of a hidden preview text. */
const maxPreheader = 250;

/** What the checks judge. */
interface Content {
  source: string;
  parts: MessageParts;
  /** Visible text. */
  text: string;
  words: number;
  prose: Prose;
  links: LinkFinding[];
}

/** Judges a message's body as a filter does; plain text has fewer checks. Throws 422 for HTML that cannot be read. */
export function contentChecks(source: string): Check[] {
  const parts = messageParts(source);
  const prose = readProse(parts.blocks.map(({ text }) => text));
  const content: Content = {
    source,
    parts,
    text: parts.blocks.map(({ text }) => text).join('\n'),
    words: prose.words,
    prose,
    links: linkFindings(parts.links),
  };
  return [...forAll, ...(parts.isHtml ? forHtml : [])].map((check) => check(content));
}

const linkCheck =
  (kind: LinkFinding['kind'], code: string, points: number, remedy: string, fine: string) =>
  ({ links }: Content): Check => {
    const found = links.filter((link) => link.kind === kind);
    const what = found
      .slice(0, 3)
      .map(({ text }) => text)
      .join('; ');
    return check(code, found.length > 0 ? points : 0, `There is ${what}.`, remedy, fine);
  };

const forAll: readonly ((content: Content) => Check)[] = [
  ({ text }) => {
    const known = spamPhrases(text);
    const weight = known.reduce((sum, phrase) => sum + phrase.weight, 0);
    const quoted = known.map(({ phrase }) => `"${phrase}"`);
    const list = quoted.slice(0, 5).join(', ') + (known.length > 5 ? ' and more' : '');
    return check(
      'spam_phrases',
      // Many honest messages have one mild phrase.
      known.length === 1 && weight === 1 ? 2 : Math.min(30, weight * 4),
      `The text has ${known.length === 1 ? 'a phrase' : `${known.length} phrases`} known from spam: ${list}.`,
      'Say it in words of your own, and say what is really offered.',
      'No phrase known from spam.',
    );
  },
  ({ text, words }) => {
    const shouted = shoutedWords(text);
    const share = shouted.length / Math.max(1, words);
    return check(
      'capitals',
      shouted.length < 3 ? 0 : Math.min(15, 3 + share * 100),
      `${shouted.length} words are written in capitals, such as ${shouted.slice(0, 3).join(', ')}.`,
      'Write them as in a sentence; emphasize with bold type.',
      'Nothing is shouted in capitals.',
    );
  },
  ({ text, prose }) => {
    const marks = text.match(/!/g)?.length ?? 0;
    const excess = Math.max(0, marks - Math.max(2, prose.sentences.length * 0.25));
    return check(
      'exclamation_marks',
      Math.min(10, excess * 2),
      `There are ${marks} exclamation marks.`,
      'Keep one or two.',
      'Exclamation marks are few.',
    );
  },
  linkCheck('raw_ip', 'raw_ip_link', 25, 'Link to a page by its domain name.', 'No link leads to a bare IP address.'),
  linkCheck(
    'shortener',
    'shortened_link',
    18,
    'Link to the page itself: filters do not trust shorteners, and campaigns with them are held.',
    'No link goes through a URL shortener.',
  ),
  ({ parts: { links } }) => {
    const plain = links.filter(({ href }) => /^http:\/\//i.test(href)).length;
    return check(
      'insecure_links',
      Math.min(5, plain),
      `${plain} of ${links.length} links use http.`,
      'Use https.',
      'Every link to a page is encrypted (https).',
    );
  },
  ({ parts: { links }, words }) => {
    const many = links.length > 50 ? 12 : links.length > 25 || (links.length > 8 && words / links.length < 4) ? 6 : 0;
    return check(
      'many_links',
      many,
      `${links.length} links for ${words} words.`,
      'Keep the links that matter.',
      'The number of links fits the text.',
    );
  },
  ({ source }) =>
    check(
      'unsubscribe_missing',
      hasUnsubscribeTag(source) ? 0 : 20,
      'There is no unsubscribe link.',
      'Add a link to {{unsubscribe_url}}; a campaign is not sent without it.',
      'There is an unsubscribe link.',
    ),
  ({ source }) => {
    const stray = strayTags(source);
    return check(
      'broken_merge_tags',
      stray.length > 0 ? 8 : 0,
      `Merge tags that cannot be read: ${stray.slice(0, 3).join(', ')}.`,
      'Write {{first_name}} or {{first_name | default: "there"}}.',
      'Every merge tag can be read.',
    );
  },
  ({ words, parts }) =>
    check(
      'little_text',
      words >= 20 || (parts.pictures.length > 0 && parts.isHtml) ? 0 : 5,
      `There are only ${words} words.`,
      'Filters judge by the text: give them some.',
      'There is text to judge by.',
    ),
  ({ prose: { ease, words } }) =>
    check(
      'readability',
      ease === null || words < 50 ? 0 : ease < 30 ? 6 : ease < 45 ? 3 : 0,
      `The text is hard to read: a reading ease of ${Math.round(ease ?? 0)}, where 60 reads well.`,
      'Use shorter words and sentences.',
      ease === null
        ? 'Readability could not be judged: the text is short, or not English.'
        : `The text reads well: a reading ease of ${Math.round(ease)}.`,
    ),
];

const forHtml: readonly ((content: Content) => Check)[] = [
  linkCheck(
    'mismatch',
    'mismatched_link',
    25,
    'Let the text of a link name where it leads, or no address at all: campaigns with such links are held.',
    'Every link leads where its text says.',
  ),
  ({ parts: { links } }) => {
    const scripts = links.some(({ href }) => /^\s*(?:javascript|vbscript|data):/i.test(href));
    const empty = links.filter(({ href }) => href === '' || href === '#').length;
    return check(
      'dead_links',
      scripts ? 25 : Math.min(6, empty * 3),
      scripts ? 'A link runs code or carries data instead of leading somewhere.' : `${empty} links lead nowhere.`,
      'Give every link the address of a page.',
      'Every link leads somewhere.',
    );
  },
  ({ parts: { pictures }, words }) => {
    const perPicture = words / Math.max(1, pictures.length);
    const points = pictures.length === 0 ? 0 : words < 20 ? 20 : perPicture < 15 ? 8 : 0;
    return check(
      'image_heavy',
      points,
      words < 20 ? 'The message is nearly all images.' : `${pictures.length} images for ${words} words.`,
      'Say in text what matters: many readers and all filters do not see images.',
      pictures.length === 0 ? 'No images.' : 'Text and images are in balance.',
    );
  },
  ({ parts: { pictures } }) => {
    const missing = pictures.filter(({ alt }) => alt === undefined).length;
    return check(
      'missing_alt_text',
      Math.min(8, missing * 2),
      `${missing} of ${pictures.length} images have no alt text.`,
      'Describe each image in alt; leave it empty for decoration.',
      'Every image has an alt text.',
    );
  },
  ({ source }) => {
    const kilobytes = Math.round(Buffer.byteLength(source) / 1024);
    return check(
      'message_clipped',
      Buffer.byteLength(source) > clipBytes ? 10 : 0,
      `The HTML has ${kilobytes} KB; Gmail cuts it off at 102 KB, with the unsubscribe link at its end.`,
      'Shorten it, and take away styles that are not used.',
      `The HTML has ${kilobytes} KB and is shown whole.`,
    );
  },
  ({ parts: { hiddenText } }) =>
    check(
      'hidden_text',
      hiddenText.length > maxPreheader ? 15 : 0,
      `${hiddenText.length} characters are hidden from the reader.`,
      'Hide nothing but a short preview text.',
      'No text is hidden beyond a preview text.',
    ),
  ({ parts: { elements, handlers, refreshes } }) => {
    const found = ['script', 'iframe', 'frame', 'object', 'embed', 'applet'].filter((name) => elements.has(name));
    if (handlers > 0) found.push('attributes that run code');
    if (refreshes) found.push('a refresh');
    return check(
      'active_content',
      found.length > 0 ? 30 : 0,
      `There is active content: ${found.join(', ')}.`,
      'Take it away: mail programs do not run it, and filters refuse it.',
      'No scripts, frames or plug-ins.',
    );
  },
  ({ parts: { elements } }) =>
    check(
      'form',
      elements.has('form') || elements.has('input') ? 12 : 0,
      'There is a form.',
      'Link to a page with the form: most mail programs disable it, and filters take it for phishing.',
      'No forms.',
    ),
  () =>
    check('plain_text', 0, '', '', 'A plain-text part is sent along; without one of yours it is made from the HTML.'),
];
