// Allowed and forbidden webhook addresses, in all notations.
import { describe, expect, it } from 'vitest';
import { refusalOf, refusalOfUrl } from '../../src/outbound/addresses.ts';

const open = { allow_private_networks: true, allow_loopback: true };
const shut = { allow_private_networks: false, allow_loopback: false };

const always = [
  ['link-local', '169.254.0.1', '169.254.169.254', '169.254.255.255', 'fe80::1', 'fe80::1%eth0', 'febf:ffff::1'],
  ['link-local', '::ffff:169.254.169.254', '::ffff:a9fe:a9fe', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1'],
  ['link-local', '::169.254.169.254', '::ffff:0:169.254.169.254', '2001:0:4136:e378:8000:63bf:5601:5601'],
  [
    'instance metadata',
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    '100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '::ffff:100.100.100.200',
  ],
  ['unspecified', '0.0.0.0', '0.1.2.3', '::', '::ffff:0.0.0.0'],
  ['multicast', '224.0.0.1', '239.255.255.255', 'ff02::1', '::ffff:224.0.0.1'],
  ['reserved', '240.0.0.1', '255.255.255.255', '192.0.0.1', '100::1', '64:ff9b:1::7f00:1'],
] as const;

const onRequest = {
  loopback: [
    '127.0.0.1',
    '127.255.255.254',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::127.0.0.1',
    '::127.0.0.1',
  ],
  'private network': [
    ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1', '198.18.0.1'],
    ...['fd12:3456::1', 'fc00::1', 'fec0::1', '::ffff:192.168.1.1', '2002:c0a8:101::1'],
  ],
};

const anywhere = [
  ...['8.8.8.8', '172.15.255.255', '172.32.0.1', '11.0.0.0', '9.255.255.255', '126.255.255.255', '128.0.0.1'],
  ...['169.253.255.255', '169.255.0.0', '100.63.255.255', '100.128.0.0', '192.167.255.255', '223.255.255.255'],
  ...['2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8', '2002:808:808::1', 'fe7f::1', '2001:db8::1'],
];

describe('a forbidden address', () => {
  it.each(always.flatMap(([kind, ...list]) => list.map((address) => [kind, address])))('is %s %s', (kind, address) => {
    expect(refusalOf(address, open)).toBe(`webhooks can't be sent to ${kind} addresses`);
  });
  it('is anything that is not an address', () => {
    for (const text of ['', 'localhost', '1.2.3', '0x7f.1', '127.1', '::1::', '1.2.3.4.5']) {
      expect(refusalOf(text, open)).toBe("webhooks can't be sent to reserved addresses");
    }
  });
});

describe('loopback addresses', () => {
  it.each(onRequest.loopback)('%s require allow_loopback', (address) => {
    expect(refusalOf(address, { ...shut, allow_private_networks: true })).toContain('loopback');
    expect(refusalOf(address, { ...shut, allow_loopback: true })).toBeUndefined();
  });
});

describe('private networks', () => {
  it.each(onRequest['private network'])('%s require allow_private_networks', (address) => {
    expect(refusalOf(address, { ...shut, allow_loopback: true })).toContain('private network');
    expect(refusalOf(address, { ...shut, allow_private_networks: true })).toBeUndefined();
  });
});

describe('other addresses', () => {
  it.each(anywhere)('%s are allowed', (address) => {
    expect(refusalOf(address, shut)).toBeUndefined();
  });
});

describe('a URL whose host is an address', () => {
  it.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://2130706433/',
    'http://[::1]:8080/',
    'http://[0:0:0:0:0:0:0:1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://127.0.0.1./',
    'http://①27.0.0.1/',
  ])('is checked in the notation %s', (url) => {
    expect(refusalOfUrl(new URL(url), shut)).toBe(
      "webhooks can't be sent to loopback addresses, unless webhooks.allow_loopback is true in the server's configuration",
    );
  });
  it('is checked by the lookup if it is a name', () => {
    expect(refusalOfUrl(new URL('http://localhost/'), shut)).toBeUndefined();
  });
});
