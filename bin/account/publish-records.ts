import {
  ChangeResourceRecordSetsCommand,
  ListHostedZonesByNameCommand,
  ListResourceRecordSetsCommand,
  Route53Client,
} from '@aws-sdk/client-route-53';
import type { DnsRecord } from '../../shared/domain/teams/dns-records.ts';
import { Explained } from '../local-stack.ts';
import { type DnsPlan, planRecords, zoneValue } from './dns-plan.ts';

const ttlSeconds = 300;

/** A sending domain and the records that it needs. */
export interface Domain {
  domain: string;
  records: readonly DnsRecord[];
}

interface Zone {
  id: string;
  name: string;
}

/**
 * Writes a domain's DNS records into its public hosted zone in Route 53, where this account has it. A record set that
 * is there stays as it is. Throws `Explained` when Route 53 refuses.
 */
export async function publishRecords({ domain, records }: Domain): Promise<DnsPlan> {
  const client = new Route53Client({});
  try {
    const zone = await findZone(client, domain);
    if (!zone) return { create: [], there: [], remain: records.map((record) => ({ record, reason: noZone(domain) })) };
    const present = new Map<DnsRecord, string[]>();
    for (const record of records) present.set(record, await valuesOf(client, zone, record));
    const plan = planRecords(records, (record) => present.get(record)!);
    if (plan.create.length > 0) await client.send(creation(zone, plan.create));
    return plan;
  } catch (error) {
    throw new Explained(`Route 53 refuses: ${(error as Error).message} Publish the records by hand.`);
  }
}

const noZone = (domain: string): string => `no public hosted zone of this account holds ${domain}`;

/** The nearest zone above the domain. */
async function findZone(client: Route53Client, domain: string): Promise<Zone | undefined> {
  for (let DNSName = domain; DNSName.includes('.'); DNSName = DNSName.replace(/^[^.]+\./, '')) {
    const { HostedZones = [] } = await client.send(new ListHostedZonesByNameCommand({ DNSName, MaxItems: 10 }));
    const zone = HostedZones.find(({ Name, Config }) => Name === `${DNSName}.` && !Config?.PrivateZone);
    if (zone) return { id: zone.Id!, name: DNSName };
  }
  return undefined;
}

async function valuesOf(client: Route53Client, zone: Zone, { name, type }: DnsRecord): Promise<string[]> {
  const { ResourceRecordSets = [] } = await client.send(
    new ListResourceRecordSetsCommand({
      HostedZoneId: zone.id,
      StartRecordName: name,
      StartRecordType: type,
      MaxItems: 1,
    }),
  );
  const found = ResourceRecordSets.find((set) => set.Type === type && set.Name === `${name}.`);
  return (found?.ResourceRecords ?? []).map(({ Value = '' }) => Value);
}

function creation(zone: Zone, records: readonly DnsRecord[]): ChangeResourceRecordSetsCommand {
  const Changes = records.map((record) => ({
    Action: 'CREATE' as const,
    ResourceRecordSet: {
      Name: record.name,
      Type: record.type,
      TTL: ttlSeconds,
      ResourceRecords: [{ Value: zoneValue(record) }],
    },
  }));
  return new ChangeResourceRecordSetsCommand({ HostedZoneId: zone.id, ChangeBatch: { Changes } });
}

/** What was published, and what remains to be published by hand. */
export function publishedLines({ create, there, remain }: DnsPlan): string {
  return [
    ...create.map(({ name, type }) => `Published in Route 53: ${type} ${name}`),
    ...there.map(({ name, type }) => `There already: ${type} ${name}`),
    ...remain.map(({ record, reason }) => `To publish by hand: ${record.type} ${record.name} (${reason})`),
  ].join('\n');
}
