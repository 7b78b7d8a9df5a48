// The limits of docs/specification/limits.md: each has a test that reaches it. test/specification compares the defaults.
import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builds, organizations } from '../../src/data/tables/tables.ts';
import { DAY, MINUTE } from '../../src/lib/clock.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { complete, initiate, sendBytes } from '../builds/scenario.ts';
import { tableIn } from '../specification/pages.ts';
import { api, expectRefusal, type Page } from '../support/harness.ts';
import { addBuild, addManyBuilds } from '../sweeps/scenario.ts';

const HERE = 'program/limits.test.ts';
/** Tests that reach each limit of docs/specification/limits.md#limits: file and title. */
const SHOWN_BY: Readonly<Record<string, readonly (readonly [file: string, title: string])[]>> = {
  'limits.organizations_per_developer': [
    ['organizations/organizations.test.ts', 'stops at 5 for one developer, also for simultaneous requests'],
  ],
  'limits.projects_per_organization': [
    ['projects/projects.test.ts', 'stops at 50 in one organization, also for simultaneous requests'],
  ],
  'limits.passkeys_per_developer': [
    ['second-factors/passkeys.test.ts', 'stops at twenty, also for fifty simultaneous requests'],
  ],
  'limits.build_size_bytes': [
    [HERE, 'a build can have 500 MiB, and not a byte more'],
    [
      'builds/complete.test.ts',
      'rejects a package that is too large, deletes its bytes, and keeps the version reserved',
    ],
  ],
  'limits.icon_size_bytes': [['projects/icons.test.ts', 'accepts exactly 1 MiB and nothing more']],
  'limits.pending_uploads_per_project': [
    ['builds/initiate.test.ts', 'allow 25 pending uploads per project for 50 simultaneous requests'],
  ],
  'limits.pending_upload_lifetime_minutes': [
    ['builds/sweeps.test.ts', 'makes it unusable; its version stays reserved until the cleanup job'],
  ],
  'limits.member_invitation_resend_minutes': [
    ['invitations/resending.test.ts', 'is rejected for five minutes, including after the first email'],
  ],
  'limits.tester_notification_resend_minutes': [
    ['testers/grants.test.ts', 'is emailed again after a pause, while pending'],
  ],
  'limits.transactional_email_minutes': [
    [
      'accounts/sign-up.test.ts',
      'sends nothing within five minutes and leaves the earlier link valid, then sends another',
    ],
    [
      'accounts/password-reset.test.ts',
      'sends nothing within five minutes, separately for each kind of email; the earlier link stays valid',
    ],
    ['accounts/email-change.test.ts', 'sends one email in five minutes per address; the earlier link stays valid'],
  ],
  'limits.personal_data_exports_per_day': [
    ['accounts/data-exports.test.ts', 'can be requested once a day; the error explains the limit'],
  ],
  'limits.personal_data_exports_per_month': [
    ['accounts/data-exports.test.ts', 'can be requested five times in thirty days'],
  ],
  'limits.downloads_per_export_archive': [
    ['accounts/data-exports.test.ts', 'can be downloaded twenty times, also with simultaneous requests'],
  ],
  'limits.devices_per_organization': [['devices/devices.test.ts', 'stops at the limit of the organization']],
  'limits.open_device_enrollments_per_organization': [
    ['devices/enrollment.test.ts', 'stops at the limit of open links, which expire'],
  ],
  'limits.page_size_default': [[HERE, 'a page has 100 items, and never more than 1000']],
  'limits.page_size_maximum': [[HERE, 'a page has 100 items, and never more than 1000']],
  'limits.audit_events_per_day': [['audit/reads.test.ts', 'are 1000 and 5000 by default']],
  'limits.audit_events_per_range': [['audit/reads.test.ts', 'are 1000 and 5000 by default']],
  'plans.team.build_retention_days': [[HERE, 'builds are kept for 30 days on Team and for 365 on Business']],
  'plans.business.build_retention_days': [[HERE, 'builds are kept for 30 days on Team and for 365 on Business']],
  'plans.team.audit_retention_days': [
    ['sweeps/audit-retention.test.ts', 'keeps 365 days on Business and 90 on Team, to the millisecond'],
  ],
  'plans.business.audit_retention_days': [
    ['sweeps/audit-retention.test.ts', 'keeps 365 days on Business and 90 on Team, to the millisecond'],
  ],
  'limits.previews_per_project': [['channels/previews.test.ts', 'is refused beyond the limit of the project']],
  'limits.preview_quiet_days': [['channels/previews.test.ts', 'ends after quiet days by the cleanup job, not earlier']],
  'accounts.deletion_grace_days': [
    ['accounts/deletion.test.ts', 'runs after the grace period and deletes all personal data'],
  ],
  'accounts.password_min_length': [[HERE, 'a password has at least 12 characters']],
  'webhooks.timeout_ms': [
    ['webhooks/hostile.test.ts', 'that never responds fails at the deadline, and its connection is closed'],
  ],
  'webhooks.max_attempts': [
    ['webhooks/deliveries.test.ts', 'is attempted eight times in about a day with increasing pauses, and is then dead'],
  ],
};

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

describe('the table of limits', () => {
  it.each(tableIn('limits', 'Limits').map(([key = '']) => key))('%s has a test that reaches it', (key) => {
    expect(SHOWN_BY[key]).toBeDefined();
    for (const [file, title] of SHOWN_BY[key] ?? []) {
      const source = readFileSync(join(import.meta.dirname, '..', file), 'utf8');
      expect(source.includes(`it('${title}'`), `${file}: ${title}`).toBe(true);
    }
  });
});

describe('by default', () => {
  it('a build can have 500 MiB, and not a byte more', async () => {
    const client = api(fixture, fixture.project_access_token);
    const project = { organization_id: fixture.organization_id, project_id: fixture.android_project_id };
    const pending = await initiate(client, project);
    expect(pending.max_size_bytes).toBe(524_288_000);
    expect(await sendBytes(pending, Buffer.from('grows where it lies'))).toBe(201);
    const key = `pending/${pending.pending_upload_id}`;
    const path = join(fixture.config.storage.local.directory, 'objects', key);
    truncateSync(path, 524_288_001);
    expect(await fixture.app.storage.head(key)).toMatchObject({ size: 524_288_001 });
    expectRefusal(await complete(client, project, pending.pending_upload_id), 413, 'payload_too_large');
    await sendBytes(pending, Buffer.from('grows where it lies'));
    truncateSync(path, 524_288_000);
    const { status, body } = await complete(client, project, pending.pending_upload_id);
    expect([status, body.size_bytes]).toEqual([201, 524_288_000]);
  });

  it('a page has 100 items, and never more than 1000', async () => {
    addManyBuilds(
      fixture,
      Array.from({ length: 1001 }, (_, index) => 10_000 + index),
    );
    const client = api(fixture, fixture.project_access_token);
    const project = { organization_id: fixture.organization_id, project_id: fixture.android_project_id };
    const count = async (limit?: number) => {
      const { status, body } = await client.get<Page>('/api/v1/builds', { ...project, limit });
      return [status, body.items.length, body.next_cursor !== null];
    };
    expect(await count()).toEqual([200, 100, true]);
    expect(await count(1000)).toEqual([200, 1000, true]);
    expect(await count(1001)).toEqual([200, 1000, true]);
    expect(await count(1_000_000)).toEqual([200, 1000, true]);
  });

  it('a password has at least 12 characters', async () => {
    const signUp = (password: string) =>
      api(fixture, null).post('/api/v1/developers', { email: 'ada@example.com', password, display_name: 'Ada' });
    const refused = await signUp('vzq7-kmw2x3');
    expect(expectRefusal(refused, 400, 'validation_error')).toMatchObject({
      errors: [{ type: 'string_too_short', loc: ['body', 'password'] }],
    });
    expect((await signUp('vzq7-kmw2x3y')).status).toBe(202);
  });

  it('builds are kept for 30 days on Team and for 365 on Business', async () => {
    for (const [tier, days] of [
      ['team', 30],
      ['business', 365],
    ] as const) {
      await using own = await startFixture();
      const { app, organization_id: id } = own;
      app.db.update(organizations).set({ tier }).where(eq(organizations.id, id)).run();
      const build = await addBuild(own, 1, (days - 7) * DAY + MINUTE);
      const isKept = () => app.db.select().from(builds).where(eq(builds.id, build)).all().length === 1;
      // The notice of the week before.
      await own.sweep('build-retention');
      own.clock.advance(7 * DAY - 2 * MINUTE);
      await own.sweep('build-retention');
      expect([tier, isKept()]).toEqual([tier, true]);
      own.clock.advance(2 * MINUTE);
      expect([tier, await own.sweep('build-retention'), isKept()]).toEqual([tier, 1, false]);
    }
  });
});
