// The specification's limits (part 8), row by row in its own words: each has its value by default, and a test that reaches it.
import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builds, organizations } from '../src/data/tables/tables.ts';
import { DAY, MINUTE } from '../src/lib/clock.ts';
import { type Fixture, startFixture } from '../src/testing/fixture.ts';
import { complete, initiate, sendBytes } from './builds/scene.ts';
import { api, expectRefusal, type Page } from './harness.ts';
import { addBuild } from './sweeps/scene.ts';

const SPECIFICATION = join(
  process.env.TAXIWAY_SHARED ?? join(import.meta.dirname, '../../shared'),
  'spec/interface-specification.md',
);

interface Limit {
  /** Name, value and refusal as the specification writes them. */
  row: readonly [string, string, string];
  /** The defaults that carry it, by their place in the configuration. */
  defaults: Readonly<Record<string, number>>;
  /** Tests that reach the limit: file and title. */
  shownBy: readonly (readonly [string, string])[];
}

const HERE = 'limits.test.ts';
const LIMITS: readonly Limit[] = [
  {
    row: ['Organizations per developer', '5', '400 quota_exceeded'],
    defaults: { 'limits.organizations_per_developer': 5 },
    shownBy: [['organizations.test.ts', 'ends at 5 for one developer, however many ask at once']],
  },
  {
    row: ['Projects per organization', '50', '400 quota_exceeded'],
    defaults: { 'limits.projects_per_organization': 50 },
    shownBy: [['projects.test.ts', 'ends at 50 in one organization, however many ask at once']],
  },
  {
    row: ['Passkeys per developer', '20', '400 quota_exceeded'],
    defaults: { 'limits.passkeys_per_developer': 20 },
    shownBy: [['passkeys.test.ts', 'stops at twenty, also when fifty come at once']],
  },
  {
    row: ['Build artifact size', '500 MiB (checked on the stored object at complete)', '413 payload_too_large'],
    defaults: { 'limits.build_size_bytes': 524_288_000 },
    shownBy: [
      [HERE, 'a build of 500 MiB is taken, and one of a byte more is not'],
      ['builds/complete.test.ts', 'refuses what is too large, removes its bytes, and keeps the claim'],
    ],
  },
  {
    row: ['Icon size', '1 MiB; PNG, JPEG or WebP', '413 payload_too_large'],
    defaults: { 'limits.icon_size_bytes': 1_048_576 },
    shownBy: [['icons.test.ts', 'takes exactly 1 MiB and nothing more']],
  },
  {
    row: ['Pending uploads in flight per project', '25', '429 rate_limit_exceeded'],
    defaults: { 'limits.pending_uploads_per_project': 25 },
    shownBy: [['builds/initiate.test.ts', 'hold 25 uploads in flight per project under 50 at once']],
  },
  {
    row: ['Signed upload URL and pending upload lifetime', '1 hour', ''],
    defaults: { 'limits.pending_upload_lifetime_minutes': 60 },
    shownBy: [['builds/sweeps.test.ts', 'ends it; the claim lasts until the sweep']],
  },
  {
    row: ['Member invitation resend', 'one send per invitation per about 5 minutes, counting the original', '429'],
    defaults: { 'limits.member_invitation_resend_minutes': 5 },
    shownBy: [['invitations.test.ts', 'is refused out loud for five minutes, counting the first mail']],
  },
  {
    row: [
      'Tester notification resend',
      'one send per pending grant per about 5 minutes, counting the send on add',
      '429',
    ],
    defaults: { 'limits.tester_notification_resend_minutes': 5 },
    shownBy: [['testers/grants.test.ts', 'is written to again with a pause, while pending only']],
  },
  {
    row: ['Transactional email per kind per recipient', 'about 1 per 5 minutes', 'silent absorption'],
    defaults: { 'limits.transactional_email_minutes': 5 },
    shownBy: [
      ['sign-up.test.ts', 'sends nothing within five minutes and leaves the earlier link valid, then sends another'],
      [
        'password-reset.test.ts',
        'sends nothing within five minutes, counted apart from other kinds, and the earlier link stays valid',
      ],
      [
        'email-change.test.ts',
        'sends one mail in five minutes to an address, whoever asks; the earlier link stays valid',
      ],
    ],
  },
  {
    row: ['New personal data exports', '1 per 24 hours and 5 per rolling 30 days', '429'],
    defaults: { 'limits.personal_data_exports_per_day': 1, 'limits.personal_data_exports_per_month': 5 },
    shownBy: [
      ['data-exports.test.ts', 'may be asked for once a day, with the details the specification names'],
      ['data-exports.test.ts', 'may be asked for five times in thirty days'],
    ],
  },
  {
    row: ['Downloads per ready export archive', '20', '429'],
    defaults: { 'limits.downloads_per_export_archive': 20 },
    shownBy: [['data-exports.test.ts', 'can be downloaded twenty times and no more, at once too']],
  },
  {
    row: ['Page size', 'default 100, maximum 1000 (clamped)', 'no error'],
    defaults: { 'limits.page_size_default': 100, 'limits.page_size_maximum': 1000 },
    shownBy: [[HERE, 'a page has 100 items when nothing is said, and never more than 1000']],
  },
  {
    row: ['Audit result cap', '1000 events for a single day, 5000 for a date range', 'X-Audit-Truncated: true'],
    defaults: { 'limits.audit_events_per_day': 1000, 'limits.audit_events_per_range': 5000 },
    shownBy: [['audit/reads.test.ts', 'are those of the specification by default: 1000 and 5000']],
  },
  {
    row: ['Audit retention', 'Team 90 days, Business 365 days', ''],
    defaults: { 'plans.team.audit_retention_days': 90, 'plans.business.audit_retention_days': 365 },
    shownBy: [['sweeps/audit-retention.test.ts', 'keeps 365 days on Business and 90 on Team, to the millisecond']],
  },
  {
    row: ['Build retention', 'Team 30 days, Business 365 days', ''],
    defaults: { 'plans.team.build_retention_days': 30, 'plans.business.build_retention_days': 365 },
    shownBy: [[HERE, 'builds are kept for 30 days on Team and for 365 on Business']],
  },
];

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());

describe('the table of limits', () => {
  it('says what the specification says, where that is at hand', () => {
    const text = existsSync(SPECIFICATION) ? readFileSync(SPECIFICATION, 'utf8') : undefined;
    const part = text?.split(/^## /m).find((one) => one.startsWith('8. '));
    const lines = part?.split('\n').filter((line) => line.startsWith('|'));
    const rows = lines?.slice(2).map((line) =>
      line
        .split('|')
        .slice(1, 4)
        .map((cell) => cell.trim()),
    );
    const own = LIMITS.map(({ row }) => row);
    expect(rows ?? own).toEqual(own);
  });

  it.each(LIMITS.map((limit) => [limit.row[0], limit] as const))('%s is set by default, and shown', (_name, limit) => {
    for (const [place, value] of Object.entries(limit.defaults)) {
      const found = place.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], fixture.config);
      expect([place, found]).toEqual([place, value]);
    }
    for (const [file, title] of limit.shownBy) {
      const source = readFileSync(join(import.meta.dirname, file), 'utf8');
      expect(source.includes(`it('${title}'`), `${file}: ${title}`).toBe(true);
    }
  });
});

describe('by default', () => {
  it('a build of 500 MiB is taken, and one of a byte more is not', async () => {
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

  it('a page has 100 items when nothing is said, and never more than 1000', async () => {
    for (let number = 10_000; number < 11_001; number++) await addBuild(fixture, number, 0);
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
