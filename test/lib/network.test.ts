// Every notation of an address belongs to the same network.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { networkOf, unmapAddress } from '../../src/lib/network.ts';

/** Spellings of the IPv4 address 203.0.113.9 mapped into IPv6. */
const spellings = [
  '::ffff:203.0.113.9',
  '::FFFF:203.0.113.9',
  '::ffff:cb00:7109',
  '::ffff:CB00:7109',
  '0:0:0:0:0:ffff:203.0.113.9',
  '0000:0000:0000:0000:0000:ffff:cb00:7109',
  '0::ffff:cb00:7109',
  '::0:ffff:203.0.113.9',
  '0:0::ffff:203.0.113.9',
  '0:0:0:0::ffff:203.0.113.9',
  '::ffff:203.0.113.9%eth0',
];

describe('an address', () => {
  it.each(spellings)('mapped to IPv6 as %s is the IPv4 address and its network', (address) => {
    expect(unmapAddress(address)).toBe('203.0.113.9');
    expect(networkOf(address)).toBe('203.0.113.9');
  });

  it.each([
    '::1',
    '::',
    '::203.0.113.9',
    '::ffff:0:203.0.113.9',
    '1::ffff:203.0.113.9',
    '::fffe:203.0.113.9',
    '64:ff9b::203.0.113.9',
    '203.0.113.9',
    'unknown',
    '',
    '::ffff:203.0.113.300',
    '::ffff:1:2:3',
  ])('that is not mapped, such as %j, is unchanged', (address) => {
    expect(unmapAddress(address)).toBe(address);
  });

  it('of IPv6 counts for its first 64 bits in any notation', () => {
    const group = fc.integer({ min: 0, max: 0xffff });
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), fc.boolean(), (groups, isPadded) => {
        fc.pre(groups.slice(0, 5).some((one) => one !== 0) || groups[5] !== 0xffff);
        const text = groups.map((one) => one.toString(16).padStart(isPadded ? 4 : 1, '0')).join(':');
        const short = new URL(`http://[${text}]`).hostname.slice(1, -1);
        const network = `${groups
          .slice(0, 4)
          .map((one) => one.toString(16))
          .join(':')}::/64`;
        for (const spelled of [text, text.toUpperCase(), short]) expect(networkOf(spelled)).toBe(network);
      }),
    );
  });
});
