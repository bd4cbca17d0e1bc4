import { Parser } from 'htmlparser2';
import { wordList } from './word-list.ts';

/** Why content with such markup needs a review. */
export const ambiguousMarkup =
  'markup that mail programs read differently (CDATA, math, frames, tags in the style of a drawing, or odd ends)';

/** What ends a comment or a style sheet, or begins text, for some programs and not for others. */
const ambiguous =
  /--!>|<!-(?!-)|<!\[CDATA\[|<\/(?:style|script|title|textarea|xmp)\/|<(?:iframe|noembed|noframes|math)\b/i;

/** Whether HTML has markup that browsers read and our parser does not, or the other way round. */
export const isAmbiguous = (html: string): boolean => ambiguous.test(html) || hasTagsInDrawnText(html);

/** Elements that hold text without tags; in a drawing a browser finds tags in them. */
const textual = wordList('style script title textarea xmp');

/** Whether such text after the beginning of a drawing looks like tags; a browser may see its end later. */
function hasTagsInDrawnText(html: string): boolean {
  let [isDrawn, isText, found] = [false, false, false];
  const parser = new Parser({
    onopentagname(name) {
      isDrawn ||= name === 'svg';
      isText = textual.has(name);
    },
    onclosetag() {
      isText = false;
    },
    ontext(text) {
      found ||= isDrawn && isText && /<[/a-z]/i.test(text);
    },
  });
  parser.end(html);
  return found;
}

/** Values without spaces do not end an attribute that has no quotes. */
const spaceless = /\{\{\s*(?:email|unsubscribe_url)\s*\}\}/g;

/** Whether values of bare merge tags can be an element's name or attributes: escaping keeps them in quotes alone. */
export function hasTagInMarkup(html: string): boolean {
  let found = /<(?:[a-z][^\s/>{]*)?\{\{/i.test(html);
  const parser = new Parser({
    onattribute(name, value, quote) {
      found ||= name.includes('{{') || (!quote && value.replace(spaceless, '').includes('{{'));
    },
  });
  if (html.includes('{{')) parser.end(html);
  return found;
}
