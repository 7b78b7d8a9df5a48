// The tables of docs/specification are compared with the program.
import { describe, expect, it } from 'vitest';
import { ARCHIVE_LIFETIME_MS, ARCHIVE_LINK_LIFETIME_MS } from '../../src/accounts/exports/service.ts';
import { labelOf } from '../../src/audit/labels.ts';
import { DOWNLOAD_LIFETIME_MS } from '../../src/builds/downloads.ts';
import { configFrom } from '../../src/config.ts';
import { REVIEW_LINK_MS } from '../../src/developers/links.ts';
import { events } from '../../src/events.ts';
import { readFlags } from '../../src/flags/service.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { AppError, type ErrorCode, errorCodes } from '../../src/lib/errors.ts';
import {
  CAPABILITY_LIFETIME_MS,
  CHANGE_LINK_MS,
  CHANNEL_INVITATION_LIFETIME_MS,
  EMAIL_CODE_MS,
  ENROLLMENT_LIFETIME_MS,
  FRESH_SIGN_IN_MS,
  INVITATION_LIFETIME_MS,
  RESET_LINK_MS,
  SETUP_LINK_LIFETIME_MS,
  VERIFY_LINK_MS,
} from '../../src/lib/lifetimes.ts';
import { operations } from '../../src/operations.ts';
import { ALL_SCOPES, organizationRoles, permissions, projectRoles, scopes } from '../../src/permissions.ts';
import { ACCESS_TOKEN_LIFETIME_MS } from '../../src/runtime/access-token.ts';
import { REQUEST_LIFETIME_MS } from '../../src/saml/request-id.ts';
import { UPDATE_TOKEN_LIFETIME_MS, UPDATE_TOKEN_OVERLAP_MS } from '../../src/sdk/enrollment.ts';
import { CHALLENGE_LIFETIME_MS } from '../../src/second-factors/challenges.ts';
import { ENROLLMENT_MS } from '../../src/second-factors/totp-enrollment.ts';
import { REFRESH_TOKEN_LIFETIME_MS } from '../../src/sign-in/issue.ts';
import { sweeps } from '../../src/sweeps.ts';
import { startFixture } from '../../src/testing/fixture.ts';
import { subscribableEvents } from '../../src/webhook-events.ts';
import { JITTER, PAUSES_MS } from '../../src/webhooks/retry.ts';
import { readPage, tableIn } from './pages.ts';

const config = configFrom({});
const UNITS: Record<string, number> = { second: SECOND, minute: MINUTE, hour: HOUR, day: DAY };

/** Milliseconds of the durations that a text names, such as "30 days; after a rotation 5 more minutes". */
function durationsIn(text: string): number[] {
  return [...text.matchAll(/(\d+) (?:more )?(second|minute|hour|day)s?/g)].map(
    ([, count, unit = '']) => Number(count) * (UNITS[unit] ?? Number.NaN),
  );
}

describe('conventions.md', () => {
  it('lists every error code with its status', () => {
    const rows = tableIn('conventions', 'Codes').map(([code = '', status]) => [code, Number(status)]);
    expect(rows).toEqual(errorCodes.map((code) => [code, new AppError(code as ErrorCode).status]));
  });

  it('names the bases of all addresses', () => {
    const bases = tableIn('conventions', 'Addresses').flatMap(([cell = '']) => cell.split(', '));
    const elsewhere = operations.filter(
      ({ path }) => !bases.some((base) => path.startsWith(`${base}/`) || path === base),
    );
    expect(elsewhere.map(({ path }) => path).filter((path) => path !== '/')).toEqual([]);
  });
});

describe('permissions.md', () => {
  it.each(['organization', 'project'] as const)('lists every %s permission', (level) => {
    const [first = '', ...rest] = level;
    const rows = tableIn('permissions', `${first.toUpperCase()}${rest.join('')} permissions`).map((row) =>
      row.slice(0, 3),
    );
    const expected = Object.entries(permissions)
      .filter(([, permission]) => permission.level === level)
      .map(([name, permission]) => [
        name,
        permission.scope,
        'projectToken' in permission ? `${permission.role}, project access tokens` : permission.role,
      ]);
    expect(rows).toEqual(expected);
  });

  it('lists scopes with their values, and roles in their order', () => {
    const rows = tableIn('permissions', 'Scopes').map(([scope, value]) => [scope, value]);
    expect(rows).toEqual(
      [...Object.entries(scopes), ['ALL', ALL_SCOPES]].map(([name, value]) => [name, String(value)]),
    );
    const [ofOrganization = '', ofProject = ''] = readPage('docs/specification/permissions.md').split('| Project role');
    const rolesIn = (text: string) => [...text.matchAll(/^\| ([a-z_]+) \| /gm)].map(([, role]) => role);
    expect(rolesIn(ofOrganization)).toEqual([...organizationRoles]);
    expect(rolesIn(ofProject.split('## Scopes')[0] ?? '')).toEqual([...projectRoles]);
  });
});

describe('identity.md', () => {
  it.each<[string, number[]]>([
    ['access token', [ACCESS_TOKEN_LIFETIME_MS]],
    ['refresh token', [REFRESH_TOKEN_LIFETIME_MS]],
    ['email verification link', [VERIFY_LINK_MS]],
    ['password reset link', [RESET_LINK_MS]],
    ['email change link', [CHANGE_LINK_MS]],
    ['emailed code, and the link beside it', [EMAIL_CODE_MS]],
    ['review token after a password reset', [REVIEW_LINK_MS]],
    ['two-factor token of a sign-in, passkey challenge', [CHALLENGE_LIFETIME_MS]],
    ['pending enrollment of an authenticator app', [ENROLLMENT_MS]],
    ['sign-in through an identity provider, as a step-up', [FRESH_SIGN_IN_MS]],
    ['SAML request', [REQUEST_LIFETIME_MS]],
    ['OpenID Connect sign-in', [REQUEST_LIFETIME_MS]],
    ['setup link', [SETUP_LINK_LIFETIME_MS]],
    ['personal or project access token', []],
    ['member invitation', [INVITATION_LIFETIME_MS]],
    ['channel invitation', [CHANNEL_INVITATION_LIFETIME_MS]],
    ['pending tester grant', []],
    ['upload link', [config.limits.pending_upload_lifetime_minutes * MINUTE]],
    ['download link', [DOWNLOAD_LIFETIME_MS]],
    ['install capability', [CAPABILITY_LIFETIME_MS]],
    ['device enrollment link', [ENROLLMENT_LIFETIME_MS]],
    ['update token of an install', [UPDATE_TOKEN_LIFETIME_MS, UPDATE_TOKEN_OVERLAP_MS]],
    ['personal data archive', [ARCHIVE_LIFETIME_MS, ARCHIVE_LINK_LIFETIME_MS]],
  ])('gives the lifetime of %s', (name, lifetimes) => {
    const row = tableIn('identity', 'Lifetimes').find(([credential]) => credential === name);
    expect(durationsIn(row?.[1] ?? 'no such row: 0 days')).toEqual(lifetimes);
  });
});

describe('limits.md', () => {
  const valueAt = (key: string) =>
    key.split('.').reduce<unknown>((table, part) => (table as Record<string, unknown> | undefined)?.[part], config);

  it('gives the default of every limit', () => {
    const rows = tableIn('limits', 'Limits').map(([key = '', value]) => [key, Number(value)]);
    expect(rows).toEqual(rows.map(([key = '']) => [key, valueAt(String(key))]));
    const keys = Object.keys(config.limits).map((key) => `limits.${key}`);
    expect(rows.map(([key]) => key).filter((key) => String(key).startsWith('limits.'))).toEqual(keys);
  });

  it('gives the rate of every class', () => {
    const { enabled: _enabled, ...classes } = config.rate_limits;
    const rows = tableIn('limits', 'Rate limits').map(([name, requests, seconds]) => [
      name,
      Number(requests),
      Number(seconds),
    ]);
    expect(rows).toEqual(Object.entries(classes).map(([name, rate]) => [name, rate.requests, rate.per_seconds]));
  });
});

describe('organizations.md', () => {
  it('lists every feature flag with its default', async () => {
    await using fixture = await startFixture();
    const rows = tableIn('organizations', 'Feature flags').map(([key = '', value]) => [key, value === 'on']);
    expect(Object.fromEntries(rows)).toEqual(readFlags(fixture.app, fixture.organization_id));
  });
});

describe('cleanup-jobs.md', () => {
  it('lists every job with its schedule, and whether it waits after a jump of the clock', () => {
    const rows = tableIn('cleanup-jobs', 'Jobs');
    const expected = sweeps.map(({ name, schedule, deletesByAge }) => {
      // Their deletions alone: the heads of the chains are logged all the same, and months are billed.
      const deletesToo = name === 'audit-retention' || name === 'billing';
      const waits = deletesToo ? 'only its deletions' : deletesByAge === true ? 'yes' : 'no';
      return [name, schedule, waits];
    });
    expect(rows.sort()).toEqual(expected.sort());
  });
});

describe('webhooks.md', () => {
  it('lists every event that is sent', () => {
    const rows = tableIn('webhooks', 'Events');
    expect(rows.filter(([, can]) => can === 'yes').map(([name]) => name)).toEqual([...subscribableEvents]);
    expect(rows.filter(([, can]) => can !== 'yes').map(([name]) => name)).toEqual(['webhook.test']);
    const fired = Object.values(events).flatMap((event) => [
      ...('webhook' in event ? [event.webhook] : []),
      ...('also' in event ? [event.also] : []),
    ]);
    expect([...new Set(fired)].sort()).toEqual([...subscribableEvents].sort());
  });

  it('gives the pauses between attempts', () => {
    const text = readPage('docs/specification/webhooks.md').replaceAll('\n', ' ');
    const [, pauses = ''] = /between them are (.*?), each up to a fifth longer or shorter/.exec(text) ?? [];
    expect(durationsIn(pauses)).toEqual([...PAUSES_MS]);
    expect(JITTER).toBe(1 / 5);
    expect(PAUSES_MS).toHaveLength(config.webhooks.max_attempts - 1);
  });
});

describe('audit.md', () => {
  it('gives labels of words that are recorded', () => {
    const words = new Set<string>(Object.values(events).flatMap(({ audit }) => [audit.event, audit.type]));
    for (const [word = '', label] of tableIn('audit', 'Labels')) {
      expect([word, labelOf(word), words.has(word)]).toEqual([word, label, true]);
    }
  });
});

describe('in-app-updates.md', () => {
  it('lists every operation with its credential', () => {
    const requirements = { sdk_app: 'app key and app secret', sdk_install: 'app key and update token' };
    const expected = operations
      .filter(({ path }) => path.startsWith('/sdk/v1'))
      .map(({ method, path, access }) => [
        `${method.toUpperCase()} ${path.replace('/sdk/v1', '')}`,
        access.kind === 'anonymous' && access.credential !== undefined
          ? requirements[access.credential]
          : 'the capability in the address',
      ]);
    expect(tableIn('in-app-updates')).toEqual(expected);
  });
});
