import { wordList } from './word-list.ts';

// Bounded as names are (RFC 1035): without bounds a long text would be scanned again from each of its words.
const nameInText = /(?<![\p{IDC}-]|[\p{IDC}-]\.)(https?:\/\/|www\.)?((?:[\p{IDC}-]{1,63}\.){1,126}[\p{IDC}-]{2,63})/giu;
const asciiName = /(?<![a-z0-9_-]|[a-z0-9_-]\.)(?:[a-z0-9_-]{1,63}\.){1,126}([a-z]{2,24})\b/i;
const asciiEnding = /\.([a-z]{2,24})$/i;
/** Letters of scripts that separate words: beside a host they are a part of it. */
const spacedScripts = /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}]/u;
/** Endings that belong to file names rather than to hosts: `report.pdf` and `notes.md` name no host. */
const fileEndings = wordList(`
  pdf doc docx odt rtf txt md csv tsv xls xlsx ods ppt pptx odp key pages numbers zip gz tgz rar tar dmg exe msi apk
  jpg jpeg png gif webp svg bmp tiff heic ico mp3 mp4 mov avi wav webm mkv epub mobi ics vcf eml html htm xhtml php
  asp aspx jsp js mjs ts tsx jsx json xml yaml yml css py sql log bak
`);

/** A text as a reader sees it: without characters that are invisible, and with one form for those that look alike. */
const asSeen = (text: string): string =>
  text.replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]+/gu, '').normalize('NFKC');

/** Endings that make a name a host also where they are capitalized: everybody has seen `Bank.Com`. */
const wellKnown = wordList('com net org info biz edu gov');
/** Words of two letters that begin sentences; other endings of two letters are countries' (`Bank.De`). */
const shortWords = wordList(`
  am an as at be by do go he hi if in is it me my no of oh ok on or so to up us we ce el en et il la le se si tu un
`);

/**
 * A name without words that only a missing space joined to it: those of `today.Shop now` and `Smart.Simple.Safe`, not
 * the last of `bank.shop`, `Bank.Com` or `Log in at BANK.SHOP`.
 */
function withoutNextSentence(name: string, isAlone: boolean, isShouted: boolean): string {
  let end = name.length;
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const word = name.slice(dot + 1, end);
    const begins = /^\p{Lu}[\p{Ll}\p{M}]+$/u.test(word) || (isShouted && !isAlone);
    const ending = word.toLowerCase();
    if (!begins || (word.length > 2 ? wellKnown.has(ending) : isAlone || !shortWords.has(ending))) break;
    end = dot;
  }
  return name.slice(0, end);
}

/**
 * The host that a link's text names first, not counting file names; empty when it names none. Letters of a script
 * without spaces may touch it: `请访问shop.example` has two readings, `bücher.example` one.
 */
export function hostShown(text: string): string[] {
  const seen = asSeen(text);
  const [isAlone, isShouted] = [!/\s/.test(seen.trim()), !/\p{Ll}/u.test(seen)];
  for (const { 0: match, 1: address, 2: whole, index } of seen.matchAll(nameInText)) {
    const end = index + match.length;
    const isWritten = address || seen[index - 1] === '@' || /^(?:\/|:\d)/.test(seen.slice(end, end + 2));
    const name = isWritten ? whole! : withoutNextSentence(whole!, isAlone, isShouted);
    const ascii = asciiName.exec(name);
    const ending = (ascii ?? asciiEnding.exec(name))?.[1]?.toLowerCase();
    if (!address && (!ending || fileEndings.has(ending))) continue;
    const isPart = ascii && ascii[0] !== name && !spacedScripts.test(name.replace(ascii[0], ''));
    return isPart ? [name, ascii[0]] : [name];
  }
  return [];
}
