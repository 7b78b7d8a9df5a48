// The client's address behind proxies: only the headers of trusted proxies are used.
import { describe, expect, it } from 'vitest';
import { createClientAddress } from '../../src/http/client-address.ts';

describe('the address of a client', () => {
  const behindProxy = createClientAddress(['10.0.0.0/8', '::1', '192.0.2.7']);
  const mapped = createClientAddress(['::ffff:10.1.1.1', '::ffff:172.16.0.0/108']);
  const direct = createClientAddress([]);
  it.each([
    ['no proxy trusted: the header is ignored', direct, '10.1.1.1', '203.0.113.9', '10.1.1.1'],
    ['untrusted peer: the header is ignored', behindProxy, '203.0.113.1', '198.51.100.2', '203.0.113.1'],
    ['trusted peer', behindProxy, '10.1.1.1', '203.0.113.9', '203.0.113.9'],
    ['a forged first hop is not believed', behindProxy, '10.1.1.1', '1.1.1.1, 203.0.113.9', '203.0.113.9'],
    ['two trusted hops', behindProxy, '::1', '203.0.113.9, 192.0.2.7', '203.0.113.9'],
    ['garbage stops at the last good hop', behindProxy, '10.1.1.1', 'unknown', '10.1.1.1'],
    ['a mapped address is plain', behindProxy, '::ffff:10.1.1.1', '203.0.113.9', '203.0.113.9'],
    ['a mapped address, in any spelling', behindProxy, '0:0:0:0:0:FFFF:0A01:0101', '::ffff:cb00:7109', '203.0.113.9'],
    ['a trusted proxy given as a mapped address', mapped, '10.1.1.1', '0000::ffff:203.0.113.9', '203.0.113.9'],
    ['a trusted network given as a mapped one', mapped, '172.16.3.4', '203.0.113.9', '203.0.113.9'],
    ['outside a mapped network', mapped, '172.32.3.4', '203.0.113.9', '172.32.3.4'],
    ['IPv6 client', behindProxy, '10.1.1.1', '2001:db8::5', '2001:db8::5'],
    ['a client with its port', behindProxy, '10.1.1.1', '203.0.113.9:49152', '203.0.113.9'],
    ['an IPv6 client with its port', behindProxy, '10.1.1.1', '[2001:db8::5]:49152', '2001:db8::5'],
    ['an IPv6 client in brackets', behindProxy, '10.1.1.1', '[2001:db8::5]', '2001:db8::5'],
    ['two hops with ports', behindProxy, '10.1.1.1', '203.0.113.9:1, 10.2.2.2:65535', '203.0.113.9'],
    [
      'an IPv6 client whose last group looks like a port',
      behindProxy,
      '10.1.1.1',
      '2001:db8::5:8080',
      '2001:db8::5:8080',
    ],
    ['an IPv4 address in brackets', behindProxy, '10.1.1.1', '[203.0.113.9]:80', '10.1.1.1'],
    ['something else after the address', behindProxy, '10.1.1.1', '203.0.113.9:80:90', '10.1.1.1'],
    ['no header', behindProxy, '10.1.1.1', undefined, '10.1.1.1'],
  ] as const)('%s', (_name, address, peer, forwarded, expected) => {
    expect(address(peer, forwarded)).toBe(expected);
  });
  it('is null without a peer', () => {
    expect(direct(undefined, '203.0.113.9')).toBeNull();
  });
});
