import { badRequest } from './errors.ts';
import type { Header } from './records.ts';
import type { TemplateData } from './render.ts';

const HEADER_NAME = /^[!-9;-@A-~]{1,126}$/;
const HEADER_VALUE = /^[ -~]{1,870}$/;
const TAG = /^[\w-]{1,256}$/;
const MAX_HEADERS = 15;
const MAX_TAGS = 50;

/** Headers that SES sets itself and refuses as custom ones. */
const RESERVED =
  /^(bcc|cc|content-disposition|content-type|date|from|message-id|mime-version|reply-to|return-path|subject|to)$/i;

/** Checks custom headers as SES does: names, printable ASCII values, none reserved, none twice. */
export function readHeaders(headers: unknown, field: string): Header[] {
  const seen = new Set<string>();
  const read = list(headers, field, MAX_HEADERS).map((header) => readPair(header, field, HEADER_NAME, HEADER_VALUE));
  for (const { Name } of read) {
    const name = Name.toLowerCase();
    if (RESERVED.test(name)) throw badRequest(`Header '${Name}' is set by SES and cannot be a custom header.`);
    if (seen.has(name)) throw badRequest(`Duplicate header '${Name}'.`);
    seen.add(name);
  }
  return read;
}

/** Checks message tags as SES does. */
export function readTags(tags: unknown, field: string): Record<string, string> {
  const read = list(tags, field, MAX_TAGS).map((tag) => readPair(tag, field, TAG, TAG));
  return Object.fromEntries(read.map(({ Name, Value }) => [Name, Value]));
}

function readPair(pair: unknown, field: string, names: RegExp, values: RegExp): Header {
  const { Name, Value } = pair as Partial<Header>;
  if (typeof Name !== 'string' || !names.test(Name)) throw constraint(field, 'name', names);
  if (typeof Value !== 'string' || !values.test(Value)) throw constraint(field, 'value', values);
  return { Name, Value };
}

/** Parses the JSON string of slot values; none when it is absent or empty. */
export function readData(data: unknown, field: string): TemplateData {
  if (data === undefined || data === null || data === '') return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(data as string);
  } catch {
    throw badRequest(`${field} is not valid JSON.`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw badRequest(`${field} must be a JSON object.`);
  return parsed as TemplateData;
}

/** An optional list of a request, at most `max` long. */
export function list(value: unknown, field: string, max = Number.POSITIVE_INFINITY): unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw badRequest(`${field} must be a list.`);
  if (value.length > max) throw badRequest(`${field} must have at most ${max} members.`);
  return value;
}

const constraint = (field: string, member: string, pattern: RegExp) =>
  badRequest(
    `1 validation error detected: Value at '${field}.member.${member}' failed to satisfy constraint: ` +
      `Member must satisfy regular expression pattern: ${pattern.source}`,
  );
