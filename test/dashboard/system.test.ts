// What the operator's page judges by itself, and how often it looks.

import { describe, expect, it } from 'vitest';
import { findingCodes } from '../../src/checks/finding-codes.ts';
import { findIssues, stateFingerprint, worstOf } from '../../src/dashboard/pages/system/issues.ts';
import { describeFinding, findings } from '../../src/dashboard/texts/de/findings.ts';
import { en } from '../../src/dashboard/texts/en.ts';
import type { SystemState } from '../../src/system/schema.ts';

const now = '2026-01-10T12:00:00.000Z';
const healthy: SystemState = {
  version: '1.0.0',
  commit: 'abc',
  built_at: null,
  started_at: '2026-01-01T00:00:00.000Z',
  now,
  base_url: 'https://taxiway.example.com',
  data_dir: '/var/lib/taxiway',
  database: { size_bytes: 4096, pending_migrations: 0 },
  storage: { backend: 'local', ok: true, detail: 'ok', builds: 3, build_bytes: 12 },
  disk: { free_bytes: 10, total_bytes: 20 },
  accounts: { developers: 1, organizations: 1, projects: 2 },
  jobs: { waiting: 1, dead: 0, oldest_due_at: '2026-01-10T11:59:30.000Z', last_error: null },
  webhook_deliveries: { pending: 2, retrying: 3, dead: 400, last_error: null, last_error_at: null },
  mail: {
    transport: 'smtp',
    from: 'taxiway@example.com',
    pending: 1,
    kept: 0,
    sent: 5,
    failed: 0,
    last_error: null,
    last_error_at: null,
  },
  certificate: { mode: 'acme', is_https: true, names: ['taxiway.example.com'], expires_at: null },
  sweeps: [
    {
      name: 'sessions' as const,
      schedule: '7 * * * *',
      next_run_at: null,
      last_run: { started_at: now, duration_ms: 3, removed: 1, error: null },
    },
  ],
};
const sweep = (error: string | null) => ({
  name: 'exports' as const,
  schedule: '* * * * *',
  next_run_at: null,
  last_run: { started_at: now, duration_ms: 1, removed: 0, error },
});

describe('what needs attention', () => {
  it('is nothing while work is done as it comes, whatever owners of webhooks have to mend', () => {
    expect(findIssues(healthy)).toEqual([]);
  });
  it.each([
    [
      'jobs that were given up',
      { jobs: { ...healthy.jobs, dead: 2, last_error: 'boom' } },
      [['jobs_given_up', 'warn', 2, 'boom']],
    ],
    [
      'jobs that nobody does',
      { jobs: { ...healthy.jobs, waiting: 9, oldest_due_at: '2026-01-10T11:55:00.000Z' } },
      [['jobs_late', 'fail', 9, null]],
    ],
    [
      'mails that wait for a server which refuses them',
      { mail: { ...healthy.mail, pending: 3, last_error: '535 no' } },
      [['mail_stuck', 'fail', 3, '535 no']],
    ],
    [
      'mails that were given up',
      { mail: { ...healthy.mail, pending: 0, failed: 1, last_error: '550 no' } },
      [['mail_failed', 'warn', 1, '550 no']],
    ],
    ['clean-ups that fail', { sweeps: [sweep(null), sweep('full')] }, [['sweep_failed', 'warn', 1, 'exports: full']]],
    [
      'deliveries that pile up',
      { webhook_deliveries: { pending: 6000, retrying: 4000, dead: 0, last_error: null, last_error_at: null } },
      [['deliveries_late', 'warn', 10_000, null]],
    ],
  ])('are %s', (_, change, expected) => {
    const found = findIssues({ ...healthy, ...change });
    expect(found.map(({ kind, severity, count, detail }) => [kind, severity, count, detail])).toEqual(expected);
  });
  it('is as bad as the worst of it', () => {
    expect([worstOf([]), worstOf(['ok', 'warn']), worstOf(['warn', 'fail', 'ok'])]).toEqual(['ok', 'warn', 'fail']);
  });
});

describe('the next look', () => {
  it('finds nothing new in the clock alone', () => {
    const later = { ...healthy, now: '2026-01-10T12:00:05.000Z', disk: { free_bytes: 9, total_bytes: 20 } };
    expect(stateFingerprint(later)).toBe(stateFingerprint(healthy));
    expect(stateFingerprint({ ...healthy, jobs: { ...healthy.jobs, waiting: 0 } })).not.toBe(stateFingerprint(healthy));
  });
});

describe('findings', () => {
  it('have German words for every code', () => {
    expect(Object.keys(findings).sort()).toEqual([...findingCodes].sort());
    for (const code of findingCodes) {
      const values = new Proxy({}, { get: (_, name) => `<${String(name)}>` });
      const text = describeFinding({ code, values, detail: 'in English' });
      expect(text).not.toBe('in English');
      expect(text.length).toBeGreaterThan(4);
    }
  });

  it('are shown in German with their values, and in English as the server says them', () => {
    const finding = {
      name: 'disk',
      status: 'warn' as const,
      detail: '512 MiB free: less than two builds of the maximum size',
      code: 'disk_low',
      values: { mebibytes: 512 },
    };
    expect(describeFinding(finding)).toBe('512 MiB frei: weniger als zwei Builds der größten erlaubten Größe');
    expect(en.system.finding(finding)).toBe(finding.detail);
  });

  it('of a newer server are shown in its own words', () => {
    expect(describeFinding({ code: 'toString', values: {}, detail: 'something new' })).toBe('something new');
  });
});
