import { createSocket } from 'node:dgram';
import { setServers } from 'node:dns';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { DataFolder } from './data-folder.ts';

const TXT = 16;
const HEADER_BYTES = 12;
const TTL_SECONDS = 60;
/** Response, recursion available. */
const ANSWERED = 0x8180;
const NO_SUCH_NAME = 3;

/** The DNS that the functions see: what was published here and nothing else, so that no lookup leaves the machine. */
export interface Dns {
  /** Replaces the TXT records of a name; none removes them. */
  publish(name: string, texts: readonly string[]): void;
  close(): void;
}

/** Answers the DNS lookups of this process over UDP (RFC 1035), from records that the data folder keeps. */
export async function openDns(folder: DataFolder): Promise<Dns> {
  const records = new Map<string, readonly string[]>(JSON.parse(folder.read('dns') ?? '[]'));
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => socket.send(answer(query, records), port, address));
  await once(socket.bind(0, '127.0.0.1'), 'listening');
  setServers([`127.0.0.1:${(socket.address() as AddressInfo).port}`]);
  return {
    publish(name, texts) {
      if (texts.length > 0) records.set(name.toLowerCase(), texts);
      else records.delete(name.toLowerCase());
      folder.write('dns', JSON.stringify([...records]));
    },
    close: () => socket.close(),
  };
}

function answer(query: Buffer, records: ReadonlyMap<string, readonly string[]>): Buffer {
  const labels: string[] = [];
  let at = HEADER_BYTES;
  while (query[at]) {
    labels.push(query.toString('latin1', at + 1, at + 1 + query[at]!));
    at += 1 + query[at]!;
  }
  const texts = records.get(labels.join('.').toLowerCase());
  const found = query.readUInt16BE(at + 1) === TXT ? (texts ?? []) : [];
  const header = Buffer.alloc(HEADER_BYTES);
  const code = ANSWERED | (texts ? 0 : NO_SUCH_NAME);
  for (const [index, word] of [query.readUInt16BE(0), code, 1, found.length].entries())
    header.writeUInt16BE(word, 2 * index);
  return Buffer.concat([header, query.subarray(HEADER_BYTES, at + 5), ...found.map(textRecord)]);
}

/** A TXT record of the name in the question: its text in strings of up to 255 bytes. */
function textRecord(text: string): Buffer {
  const bytes = Buffer.from(text);
  const strings = Array.from({ length: Math.ceil(bytes.length / 255) }, (_, index) => {
    const part = bytes.subarray(255 * index, 255 * (index + 1));
    return Buffer.concat([Buffer.from([part.length]), part]);
  });
  const data = Buffer.concat(strings);
  const record = Buffer.alloc(12);
  for (const [index, word] of [0xc00c, TXT, 1, 0, TTL_SECONDS, data.length].entries())
    record.writeUInt16BE(word, 2 * index);
  return Buffer.concat([record, data]);
}
