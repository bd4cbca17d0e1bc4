import dns from 'node:dns';
import { Resolver } from 'node:dns/promises';

/** The texts of a name's TXT records; none when it has none, undefined when DNS does not say within three seconds. */
export async function textRecords(name: string): Promise<string[] | undefined> {
  const resolver = new Resolver({ timeout: 1_000, tries: 2 });
  // A new resolver knows the machine's servers, not those that the process was given; a name imported from the module
  // would, too.
  resolver.setServers(dns.getServers());
  try {
    return (await resolver.resolveTxt(name)).map((strings) => strings.join(''));
  } catch (error) {
    return /^(?:ENOTFOUND|ENODATA)$/.test((error as NodeJS.ErrnoException).code ?? '') ? [] : undefined;
  }
}
