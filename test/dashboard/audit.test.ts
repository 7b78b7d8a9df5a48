// Filters of the audit trail, and its CSV file.

import { describe, expect, it } from 'vitest';
import type { AuditRow } from '../../src/audit/schema.ts';
import { actorName, formatDetails } from '../../src/dashboard/components/event-texts.ts';
import {
  filterEvents,
  listValues,
  nameCsv,
  noFilters,
  readDays,
  writeCsv,
} from '../../src/dashboard/pages/audit/filters.ts';
import { readAuditSearch } from '../../src/dashboard/pages/audit/search.ts';
import { toSearch, toView } from '../../src/dashboard/pages/audit/view.ts';
import { readExpiringSearch, readRange } from '../../src/dashboard/pages/expiring/search.ts';
import { filterByScope } from '../../src/dashboard/pages/me/activity-scope.ts';
import { de } from '../../src/dashboard/texts/de.ts';
import { en } from '../../src/dashboard/texts/en.ts';

const release: AuditRow = {
  timestamp: '2026-01-31T12:00:00.000Z',
  event: 'created',
  type: 'release',
  identifier: 'release-1',
  actor: { kind: 'developer', identifier: 'dana-1', name: 'Dana' },
  ip_address: '192.0.2.7',
  details: { channel: 'beta', build_number: 7 },
  event_type_label: 'Created',
  data_type_label: 'Release',
};
const failed: AuditRow = {
  ...release,
  event: 'login_failed',
  type: 'developer',
  actor: { kind: 'system', identifier: null, name: null },
  ip_address: null,
  details: {},
  event_type_label: 'Login failed',
  data_type_label: 'Developer',
};
const token: AuditRow = {
  ...release,
  event: 'edited',
  type: 'build',
  actor: { kind: 'project_access_token', identifier: 'token-1', name: null },
  event_type_label: '=HYPERLINK("x")',
  data_type_label: 'Build, "nightly"',
  ip_address: '-1',
};

describe('the address of the page', () => {
  const now = Date.parse('2026-03-10T22:00:00Z');
  it('shows the events of today without a period, and names it once something was changed', () => {
    const view = toView({}, now);
    expect(view).toEqual({ kind: 'day', day: '2026-03-10', from: '2026-03-03', to: '2026-03-10', filters: noFilters });
    expect(toSearch({ ...view, filters: { ...noFilters, type: 'release' } })).toEqual({
      day: '2026-03-10',
      type: 'release',
    });
  });

  it.each([
    { day: '2026-01-31', event: 'created', type: 'release', actor: 'Dana', search: 'beta 7' },
    { from: '2025-12-01', to: '2026-01-31', search: '7' },
    // Reversed, which the page shows as an error.
    { from: '2026-02-01', to: '2026-01-31' },
  ])('keeps what was chosen: %j', (search) => {
    expect(toSearch(toView(readAuditSearch(search), now))).toEqual(search);
  });

  it('ignores what is malformed, and days that are still being entered', () => {
    const malformed = { day: '2026-02-30', from: 'x', to: '', event: { a: 1 }, type: null, actor: 'x'.repeat(256) };
    expect(readAuditSearch({ ...malformed, search: 12, other: 'y' })).toEqual({ search: '12' });
    expect(toSearch({ kind: 'range', day: '', from: '', to: '2026-01-31', filters: noFilters })).toEqual({
      to: '2026-01-31',
    });
  });
});

describe('the address of what expires', () => {
  it.each([
    [{}, {}, 60],
    [{ days: 60 }, {}, 60],
    [{ days: '366' }, { days: 366 }, 366],
    [{ days: 30 }, { days: 30 }, 30],
    [{ days: 31 }, {}, 60],
  ])('%j is read as %j', (search, read, days) => {
    expect(readExpiringSearch(search)).toEqual(read);
    expect(readRange(search)).toBe(days);
  });
});

describe('events', () => {
  it.each([
    ['nothing', noFilters, [release, failed, token]],
    ['an event', { ...noFilters, event: 'created' }, [release]],
    ['a type', { ...noFilters, type: 'developer' }, [failed]],
    ['an actor', { ...noFilters, actor: 'Dana' }, [release]],
    ['a search term', { ...noFilters, search: ' BETA ' }, [release, token]],
    ['an address', { ...noFilters, search: '192.0.2' }, [release]],
    ['all filters', { event: 'created', type: 'release', actor: 'Dana', search: 'nightly' }, []],
  ])('are filtered by %s', (_, filters, passed) => {
    expect(filterEvents([release, failed, token], filters)).toEqual(passed);
  });

  it('have labels in both languages, and those of a newer server in English', () => {
    const words = ['created', 'mfa_enabled', 'org_sso', 'constructor', 'teleport_started'];
    expect(words.map(en.events.labelOf)).toEqual([
      'Created',
      'MFA enabled',
      'Org SSO',
      'Constructor',
      'Teleport started',
    ]);
    expect(words.map(de.events.labelOf)).toEqual([
      'Erstellt',
      'Zwei-Faktor-Authentifizierung eingeschaltet',
      'Single Sign-on',
      'Constructor',
      'Teleport started',
    ]);
  });

  it('show the name of the actor, the id without a name, and nothing for the system', () => {
    expect([release, failed, token].map(actorName)).toEqual(['Dana', '', 'token-1']);
    expect(listValues([token, release, failed, release], actorName)).toEqual(['Dana', 'token-1']);
  });

  it('show their details in one line', () => {
    expect(formatDetails({ channel: 'beta', changed: ['name'], left: null })).toBe(
      'channel: beta, changed: ["name"], left: null',
    );
  });
});

describe('the CSV', () => {
  it('has four columns, CRLF line ends and no formulas', () => {
    expect(writeCsv([release, failed, token])).toBe(
      [
        'timestamp,event_type_label,data_type_label,ip_address',
        '2026-01-31T12:00:00.000Z,Created,Release,192.0.2.7',
        '2026-01-31T12:00:00.000Z,Login failed,Developer,',
        `2026-01-31T12:00:00.000Z,"'=HYPERLINK(""x"")","Build, ""nightly""",'-1`,
        '',
      ].join('\r\n'),
    );
  });

  it.each([
    ['day', '2026-01-31', '', '', { day: '2026-01-31' }, 'audit-2026-01-31.csv'],
    [
      'range',
      '',
      '2026-01-01',
      '2026-01-31',
      { from: '2026-01-01', to: '2026-01-31' },
      'audit-2026-01-01-to-2026-01-31.csv',
    ],
  ] as const)('is named after its days: a %s', (kind, day, from, to, days, name) => {
    expect(readDays(kind, day, from, to)).toEqual(days);
    expect(nameCsv(days)).toBe(name);
  });

  it.each([
    ['day', '', '', ''],
    ['range', '', '2026-02-01', '2026-01-31'],
    ['range', '', '2026-02-01', ''],
  ] as const)('needs a complete period: %s %s %s %s', (kind, day, from, to) => {
    expect(readDays(kind, day, from, to)).toBeUndefined();
  });
});

describe('the activity of an account', () => {
  const rows = ['developer', 'build', 'pat', 'release', 'data_export', 'project', 'org_membership'].map(
    (type) => ({ type }) as AuditRow,
  );
  it('shows events of the account, and optionally those in organizations', () => {
    expect(filterByScope(rows, 'account').map(({ type }) => type)).toEqual(['developer', 'pat', 'data_export']);
    expect(filterByScope(rows, 'all')).toEqual(rows);
  });
});
