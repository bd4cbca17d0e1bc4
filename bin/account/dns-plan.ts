import type { DnsRecord } from '../../shared/domain/teams/dns-records.ts';

/** What is at a name already: the values of its record set of a type. */
export type Present = (record: DnsRecord) => readonly string[];

/** Which records to create, which are there, and which remain to a person, each with the reason. */
export interface DnsPlan {
  create: DnsRecord[];
  there: DnsRecord[];
  remain: { record: DnsRecord; reason: string }[];
}

/** A record's value as a zone has it: a text in quotes, a mail server after its priority. */
export function zoneValue({ type, value, priority }: DnsRecord): string {
  if (type === 'TXT') return `"${value}"`;
  return type === 'MX' ? `${priority} ${value}` : value;
}

/** Plans the records of a zone: never changes what somebody else has published at a name. */
export function planRecords(records: readonly DnsRecord[], present: Present): DnsPlan {
  const plan: DnsPlan = { create: [], there: [], remain: [] };
  for (const record of records) {
    const values = present(record);
    if (values.length === 0) plan.create.push(record);
    else if (values.some((value) => serves(value, record))) plan.there.push(record);
    else plan.remain.push({ record, reason: `there is another value: ${values.join(', ')}` });
  }
  return plan;
}

/** Whether a published value does what the record is for; every DMARC policy does. */
function serves(value: string, record: DnsRecord): boolean {
  if (record.purpose === 'dmarc') return /^"v=DMARC1\b/i.test(value);
  return value.replace(/\.$/, '').toLowerCase() === zoneValue(record).toLowerCase();
}
