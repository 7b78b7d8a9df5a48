// The issues of the system page, and the German texts of health checks.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectDir } from '../../scripts/lib/project.ts';
import { findingCodes } from '../../src/checks/finding-codes.ts';
import { findIssues, stateFingerprint, worstOf } from '../../src/dashboard/pages/system/issues.ts';
import { describeFinding, findings } from '../../src/dashboard/texts/de/findings.ts';
import { de } from '../../src/dashboard/texts/de.ts';
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
  storage: {
    backend: 'local',
    ok: true,
    detail: 'ok',
    builds: 3,
    build_bytes: 12,
    backends: [
      {
        backend: 'local',
        location: '/var/lib/taxiway/blobs',
        ok: true,
        detail: 'ok',
        builds: 3,
        build_bytes: 12,
        unavailable_since: null,
        last_error: null,
      },
    ],
    containers: { count: 0, items: [] },
    move: null,
    problems: { count: 0, objects: [] },
  },
  backup: {
    place: '/var/lib/taxiway/backups',
    schedule: '',
    is_encrypted: false,
    is_running: false,
    next_run_at: null,
    last_run: null,
    last_success: null,
  },
  replication: null,
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

describe('issues', () => {
  it('are none on a healthy server; failed webhook deliveries do not count', () => {
    expect(findIssues(healthy)).toEqual([]);
  });
  it.each([
    ['failed jobs', { jobs: { ...healthy.jobs, dead: 2, last_error: 'boom' } }, [['jobs_given_up', 'warn', 2, 'boom']]],
    [
      'delayed jobs',
      { jobs: { ...healthy.jobs, waiting: 9, oldest_due_at: '2026-01-10T11:55:00.000Z' } },
      [['jobs_late', 'fail', 9, null]],
    ],
    [
      'emails that the mail server rejects',
      { mail: { ...healthy.mail, pending: 3, last_error: '535 no' } },
      [['mail_stuck', 'fail', 3, '535 no']],
    ],
    [
      'failed emails',
      { mail: { ...healthy.mail, pending: 0, failed: 1, last_error: '550 no' } },
      [['mail_failed', 'warn', 1, '550 no']],
    ],
    ['failed cleanup jobs', { sweeps: [sweep(null), sweep('full')] }, [['sweep_failed', 'warn', 1, 'exports: full']]],
    [
      'many pending deliveries',
      { webhook_deliveries: { pending: 6000, retrying: 4000, dead: 0, last_error: null, last_error_at: null } },
      [['deliveries_late', 'warn', 10_000, null]],
    ],
  ])('include %s', (_, change, expected) => {
    const found = findIssues({ ...healthy, ...change });
    expect(found.map(({ kind, severity, count, detail }) => [kind, severity, count, detail])).toEqual(expected);
  });
  it('have the worst severity as a whole', () => {
    expect([worstOf([]), worstOf(['ok', 'warn']), worstOf(['warn', 'fail', 'ok'])]).toEqual(['ok', 'warn', 'fail']);
  });
});

describe('the fingerprint of the state', () => {
  it('ignores the clock and free disk space', () => {
    const later = { ...healthy, now: '2026-01-10T12:00:05.000Z', disk: { free_bytes: 9, total_bytes: 20 } };
    expect(stateFingerprint(later)).toBe(stateFingerprint(healthy));
    expect(stateFingerprint({ ...healthy, jobs: { ...healthy.jobs, waiting: 0 } })).not.toBe(stateFingerprint(healthy));
  });
});

describe('findings', () => {
  it('have a German text for every code', () => {
    expect(Object.keys(findings).sort()).toEqual([...findingCodes].sort());
    for (const code of findingCodes) {
      const values = new Proxy({}, { get: (_, name) => `<${String(name)}>` });
      const text = describeFinding({ code, values, detail: 'in English' });
      expect(text).not.toBe('in English');
      expect(text.length).toBeGreaterThan(4);
    }
  });

  it('have a label for every check of a running server, in both languages', () => {
    const source = readFileSync(join(projectDir, 'src/system/findings.ts'), 'utf8');
    const names = [...source.matchAll(/\battempt\('([^']+)'/g)].map(([, name = '']) => name);
    expect(names).toContain('database');
    for (const { system } of [en, de]) {
      expect(names.filter((name) => system.findingNames[name] === undefined)).toEqual([]);
    }
    expect(Object.keys(de.system.findingNames)).toEqual(Object.keys(en.system.findingNames));
  });

  it('are shown in German with their values, and in English as the server sends them', () => {
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

  it('with an unknown code are shown as the server sends them', () => {
    expect(describeFinding({ code: 'toString', values: {}, detail: 'something new' })).toBe('something new');
  });
});
