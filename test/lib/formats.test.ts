// Sizes as people read them.
import { expect, it } from 'vitest';
import { formatAlignedBytes, formatBytes } from '../../src/lib/formats.ts';

it.each([
  [0, '0 bytes', '0 bytes'],
  [419, '419 bytes', '419 bytes'],
  [2_000, '2 kB', '2.00 kB'],
  [5_600_000, '5.6 MB', '5.60 MB'],
  [12_400_000, '12.4 MB', '12.4 MB'],
  [131_700_000, '132 MB', '132 MB'],
  [2_500_000_000_000, '2,500 GB', '2,500 GB'],
])('%i bytes are %s, and %s in a column of sizes', (bytes, size, aligned) => {
  expect(formatBytes(bytes, 'en')).toBe(size);
  expect(formatAlignedBytes(bytes, 'en')).toBe(aligned);
});
