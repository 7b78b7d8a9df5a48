// What changes for testers from one build to another, in words.
import { describe, expect, it } from 'vitest';
import type { BuildComparison } from '../../src/builds/compare-schema.ts';
import { describeChanges, formatSizeChange } from '../../src/dashboard/components/comparison-lines.ts';
import { readComparison } from '../../src/dashboard/pages/build-comparison/search.ts';
import { de } from '../../src/dashboard/texts/de.ts';
import { en } from '../../src/dashboard/texts/en.ts';

const none = { added: [], removed: [], added_count: 0, removed_count: 0 };
const same = { before: null, after: null };

function compare(changes: Partial<BuildComparison>): BuildComparison {
  const build = { size_bytes: 10_000_000, parts: null } as unknown as BuildComparison['before'];
  const unchanged = { permissions: none, entitlements: null, certificates: null, profile: null, devices: null };
  const values = { size_change_bytes: 0, min_os_version: same, target_sdk: same, libraries: null };
  return { before: build, after: build, ...values, ...unchanged, ...changes };
}

const plain = (lines: string[]) => lines.map((line) => line.replace(/\u00a0/g, ' '));

describe('what changes for testers', () => {
  it('names permissions, size, system and devices', () => {
    const changes = compare({
      permissions: { ...none, added: ['NSCameraUsageDescription'], added_count: 1 },
      size_change_bytes: 3_100_000,
      min_os_version: { before: '15.0', after: '16.0' },
      devices: { ...none, removed: ['a', 'b'], removed_count: 2, added: ['c'], added_count: 1 },
    });
    expect(plain(describeChanges(changes, 'ios', { texts: en, language: 'en' }))).toEqual([
      '+1 permission (camera)',
      '+3.10 MB in size',
      'requires iOS 16.0',
      '2 devices leave the profile',
      '1 device joins the profile',
    ]);
    expect(plain(describeChanges(changes, 'ios', { texts: de, language: 'de' }))[0]).toBe('+1 Berechtigung (Kamera)');
  });

  it('counts what it does not name, and keeps abbreviations', () => {
    const removed = ['NFC', 'CAMERA', 'RECORD_AUDIO', 'CALL_PHONE', 'VIBRATE'].map(
      (name) => `android.permission.${name}`,
    );
    const changes = compare({ permissions: { ...none, removed, removed_count: 5 } });
    expect(describeChanges(changes, 'android', { texts: en, language: 'en' })).toEqual([
      '−5 permissions (NFC, camera, microphone and 2 more)',
    ]);
  });

  it('warns if the app must be uninstalled first', () => {
    const other = { ...none, added: ['a'], removed: ['b'], added_count: 1, removed_count: 1 };
    expect(describeChanges(compare({ certificates: other }), 'android', { texts: en, language: 'en' })).toEqual([
      'signed by another certificate: testers have to uninstall the app first',
    ]);
    expect(describeChanges(compare({ permissions: null }), 'android', { texts: en, language: 'en' })).toEqual([]);
  });

  it('has no size that practically stays the same', () => {
    expect(formatSizeChange(9_000, 10_000_000, 'en')).toBeUndefined();
    expect(formatSizeChange(-2_000_000, 10_000_000, 'en')?.replace(/\u00a0/g, ' ')).toBe('−2 MB');
  });
});

it('reads the other build from the address', () => {
  const id = '01900000-0000-7000-8000-00000000000A';
  expect([{ with: id }, { with: '../x' }, { with: 5 }, {}].map(readComparison)).toEqual([
    { with: id.toLowerCase() },
    {},
    {},
    {},
  ]);
});
