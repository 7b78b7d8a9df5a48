// Which devices a page shows as newly enrolled.
import { describe, expect, it } from 'vitest';
import { findEnrolledSince } from '../../src/dashboard/pages/devices/arrivals.ts';
import type { Device } from '../../src/devices/schema.ts';

function device(name: string, enrolledAt: string | null): Device {
  return {
    identifier: name,
    organization_id: 'organization',
    udid: '…0000',
    name,
    platform: 'ios',
    product: null,
    model: null,
    os_version: null,
    developer_id: null,
    registered_at: '2026-01-01T00:00:00.000Z',
    enrolled_at: enrolledAt,
  };
}

describe('enrolled devices', () => {
  it('are those enrolled since the link was created, newest first, including devices registered before', () => {
    const all = [
      device('by hand', null),
      device('before', '2026-01-31T11:59:59.999Z'),
      device('at once', '2026-01-31T12:00:00.000Z'),
      device('last', '2026-01-31T12:04:00.000Z'),
    ];
    expect(findEnrolledSince(all, '2026-01-31T12:00:00.000Z').map(({ name }) => name)).toEqual(['last', 'at once']);
  });
});
