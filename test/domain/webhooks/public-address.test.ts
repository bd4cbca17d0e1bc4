import { describe, expect, it } from 'vitest';
import {
  type Address,
  parseTarget,
  publicAddresses,
  RefusedTarget,
} from '../../../shared/domain/webhooks/public-address.ts';

/** The addresses of the host names of this test. */
const names: Record<string, string[]> = {
  'public.example': ['93.184.215.14'],
  'both.example': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  localhost: ['127.0.0.1', '::1'],
  'localhost.': ['127.0.0.1'],
  'private.example': ['10.1.2.3'],
  'one-of-many.example': ['93.184.215.14', '192.168.0.10'],
  'six.example': ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', 'fd00::1'],
  'metadata.google.internal': ['169.254.169.254'],
  '127.0.0.1.nip.example': ['127.0.0.1'],
  'mapped.example': ['::ffff:10.0.0.1'],
  'nat64.example': ['64:ff9b::a9fe:a9fe'],
  'azure.example': ['93.184.215.14', '168.63.129.16'],
};

const resolve = async (host: string): Promise<Address[]> =>
  (names[host] ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const check = async (url: string, allowLoopback = false) =>
  publicAddresses(parseTarget(url), resolve, { allowLoopback });

const hostile: Record<string, string[]> = {
  loopback: ['http://127.0.0.1/', 'http://127.255.255.254/', 'http://[::1]/', 'http://[0:0:0:0:0:0:0:1]/'],
  'loopback by name': [
    'http://localhost/',
    'http://LOCALHOST:8080/',
    'http://localhost./',
    'http://127.0.0.1.nip.example/',
  ],
  'other spellings of IPv4': [
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://127.1/',
    'http://127.0.1/',
    'http://127.0.0.1./',
    'http://①②⑦.⓪.⓪.①/',
    'http://0xa9.0xfe.0xa9.0xfe/',
    'http://2852039166/',
    'http://0251.0376.0251.0376/',
    'http://%31%32%37.0.0.1/',
  ],
  unspecified: ['http://0.0.0.0/', 'http://0/', 'http://0.1.2.3/', 'http://[::]/'],
  private: [
    'http://10.0.0.1/',
    'http://10.255.255.255/',
    'http://172.16.0.1/',
    'http://172.31.255.255/',
    'http://192.168.1.1/',
    'http://private.example/',
    'http://one-of-many.example/',
    'http://six.example/',
  ],
  'link-local and metadata': [
    'http://169.254.169.254/latest/meta-data/',
    'http://169.254.170.2/v2/credentials',
    'http://[fe80::1]/',
    'http://[febf::1]/',
    'http://metadata.google.internal/',
    'http://[fd00:ec2::254]/',
  ],
  'carrier-grade NAT': ['http://100.64.0.1/', 'http://100.127.255.254/', 'http://100.100.100.200/'],
  'multicast and broadcast': [
    'http://224.0.0.1/',
    'http://239.255.255.250:1900/',
    'http://255.255.255.255/',
    'http://[ff02::1]/',
  ],
  'documentation, benchmarks, reserved': [
    'http://192.0.2.1/',
    'http://198.51.100.7/',
    'http://203.0.113.9/',
    'http://198.18.0.1/',
    'http://198.19.255.255/',
    'http://192.0.0.1/',
    'http://240.0.0.1/',
    'http://192.88.99.1/',
    'http://[2001:db8::1]/',
    'http://[3fff::1]/',
    'http://[100::1]/',
  ],
  'IPv4 inside IPv6': [
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:93.184.215.14]/',
    'http://[::127.0.0.1]/',
    'http://[::a9fe:a9fe]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[64:ff9b:1::10.0.0.1]/',
    'http://[2002:7f00:1::]/',
    'http://[2002:a9fe:a9fe::1]/',
    'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
    'http://[::ffff:0:127.0.0.1]/',
    'http://mapped.example/',
    'http://nat64.example/',
  ],
  'IPv6 that is not given out': [
    'http://[fc00::1]/',
    'http://[fdff::1]/',
    'http://[fec0::1]/',
    'http://[4000::1]/',
    'http://[5f00::1]/',
  ],
  'credentials, ports, schemes, nonsense': [
    'http://user:secret@93.184.215.14/',
    'http://public.example@127.0.0.1/',
    'https://user@public.example/',
    'http://public.example:22/',
    'http://public.example:25/',
    'http://public.example:1023/',
    'http://public.example:0/',
    'ftp://public.example/',
    'file:///etc/passwd',
    'gopher://public.example:6379/_INFO',
    'javascript:alert(1)',
    'data:text/plain,x',
    'http:public.example',
    '//public.example/',
    'public.example',
    'http://',
    'http://[::1',
    'http://[fe80::1%25eth0]/',
    '',
    `https://public.example/${'x'.repeat(2_048)}`,
  ],
  'ports of other protocols': [
    ...[465, 587, 1433, 1521, 3306, 5060, 5432, 6000, 6379, 6667, 9200, 10080, 11211, 27017].map(
      (port) => `https://public.example:${port}/`,
    ),
    'http://127.0.0.1:6379/',
  ],
  'metadata beyond private ranges': ['http://168.63.129.16/', 'http://azure.example/machine', 'http://0xa83f8110/'],
  'names that do not resolve': ['http://nowhere.invalid/', 'http://metadata/', 'http://kubernetes.default.svc/'],
};

describe.each(Object.entries(hostile))('%s', (_kind, urls) => {
  it.each(urls)('%s is refused', async (url) => {
    await expect(check(url)).rejects.toThrow(RefusedTarget);
  });
});

it('tries at least 60 hostile targets', () => {
  expect(Object.values(hostile).flat().length).toBeGreaterThanOrEqual(60);
});

it.each([
  'https://public.example/hook',
  'https://both.example/hook?x=1',
  'http://public.example:8080/',
  'http://public.example:1024/',
  'https://public.example:8443/',
  'http://168.63.129.17/',
  'https://public.example:443/',
  'https://public.example:65535/',
  'http://93.184.215.14/',
  'https://1.1.1.1/',
  'https://[2606:4700:4700::1111]/',
  'http://11.0.0.1/',
  'http://172.15.255.255/',
  'http://172.32.0.1/',
  'http://100.63.255.255/',
  'http://100.128.0.1/',
  'http://192.167.0.1/',
  'http://223.255.255.255/',
])('%s is public', async (url) => {
  expect((await check(url)).length).toBeGreaterThan(0);
});

it('names the reason', async () => {
  await expect(check('http://100.64.0.1/')).rejects.toThrow('not to one that is carrier grade nat');
  await expect(check('http://nowhere.invalid/')).rejects.toMatchObject({ reason: 'dns', message: /does not/ });
  await expect(check('http://public.example:6379/')).rejects.toThrow('must not have the port 6379');
  await expect(check('http://10.0.0.1/')).rejects.toMatchObject({ reason: 'refused address' });
});

it('allows loopback, and nothing else, when an operator allows it', async () => {
  for (const url of ['http://127.0.0.1:9000/', 'http://localhost:9000/', 'http://[::1]:9000/'])
    expect((await check(url, true)).length).toBeGreaterThan(0);
  const others = ['http://10.0.0.1/', 'http://169.254.169.254/', 'http://0.0.0.0/', 'http://[::ffff:127.0.0.1]/'];
  for (const url of [...others, 'http://127.0.0.1:6379/'])
    await expect(check(url, true)).rejects.toThrow(RefusedTarget);
});
