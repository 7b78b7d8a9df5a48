// The cleanup job build-retention: old builds are deleted a week after their maintainers were notified.
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AGED_PAGE, MAINTAINERS } from '../../src/builds/retention-store.ts';
import {
  builds,
  developers,
  organizationMemberships,
  organizations,
  projects,
  releases,
} from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { formatMailDay } from '../../src/mail/dates.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { auditMark, auditRows, outboxRows } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { countWritesInOneTurn } from '../support/turns.ts';
import { addBuild, addRelease } from './scenario.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture.stop());

const sweep = () => fixture.sweep('build-retention');
const left = () =>
  fixture.app.db
    .select({ number: builds.buildNumber })
    .from(builds)
    .orderBy(builds.buildNumber)
    .all()
    .map((row) => row.number);
const mails = (to?: string) =>
  fixture.mail.messages.filter(
    ({ subject, to: address }) => / will be deleted$/.test(subject) && (to ?? address) === address,
  );
const MINUTE = 60_000;

describe('build retention', () => {
  it('emails a week before and deletes then, not earlier', async () => {
    await addBuild(fixture, 1, (365 - 7) * DAY - MINUTE);
    expect(await sweep()).toBe(0);
    expect(mails()).toEqual([]);
    fixture.clock.advance(2 * MINUTE);
    expect(await sweep()).toBe(0);
    expect(mails()).toHaveLength(1);
    fixture.clock.advance(7 * DAY - 2 * MINUTE);
    expect(await sweep()).toBe(0);
    fixture.clock.advance(3 * MINUTE);
    expect(await sweep()).toBe(1);
    expect([left(), mails().length]).toEqual([[], 1]);
    expect(await sweep()).toBe(0);
  });

  it('announces every build for a week after an upgrade', async () => {
    await addBuild(fixture, 1, 3_000 * DAY);
    expect(await sweep()).toBe(0);
    fixture.clock.advance(7 * DAY - MINUTE);
    expect(await sweep()).toBe(0);
    expect(left()).toEqual([1]);
    fixture.clock.advance(2 * MINUTE);
    expect(await sweep()).toBe(1);
  });

  it('announces builds again after the retention period was raised', async () => {
    const { app, organization_id: id } = fixture;
    const setTier = (tier: 'team' | 'business') =>
      app.db.update(organizations).set({ tier }).where(eq(organizations.id, id)).run();
    setTier('team');
    await addBuild(fixture, 1, 24 * DAY);
    await sweep();
    expect(mails()).toHaveLength(1);
    setTier('business');
    fixture.clock.advance(330 * DAY);
    expect(await sweep()).toBe(0);
    fixture.clock.advance(12 * DAY);
    expect(await sweep()).toBe(0);
    expect(mails()).toHaveLength(2);
    fixture.clock.advance(7 * DAY);
    expect(await sweep()).toBe(1);
  });

  it('deletes no further builds when the plan is raised while it runs', async () => {
    const { app, organization_id: id } = fixture;
    const setTier = (tier: 'team' | 'business') =>
      app.db.update(organizations).set({ tier }).where(eq(organizations.id, id)).run();
    setTier('team');
    for (let number = 1; number <= 30; number += 1) await addBuild(fixture, number, 40 * DAY);
    await sweep();
    fixture.clock.advance(7 * DAY);
    const raise = () => {
      if (left().length < 30) setTier('business');
      else waiting = setImmediate(raise);
    };
    let waiting = setImmediate(raise);
    const removed = await sweep();
    clearImmediate(waiting);
    expect(removed).toBeGreaterThan(0);
    expect(removed).toBeLessThan(30);
    expect(left()).toHaveLength(30 - removed);
  });

  it('keeps live builds of any age, and deletes them when they are no longer live', async () => {
    const old = await addBuild(fixture, 1, 1_000 * DAY);
    const older = await addBuild(fixture, 2, 1_000 * DAY);
    addRelease(fixture, older);
    const current = addRelease(fixture, old);
    const disabled = await addBuild(fixture, 3, 1_000 * DAY);
    addRelease(fixture, disabled, 'disabled');
    const revoked = await addBuild(fixture, 4, 1_000 * DAY);
    addRelease(fixture, revoked);
    fixture.app.db.update(builds).set({ revokedAt: 1 }).where(eq(builds.id, revoked)).run();
    await sweep();
    expect(mails()[0]?.text).toContain(': 1.0 (2), 1.0 (3), 1.0 (4).');
    fixture.clock.advance(8 * DAY);
    expect(await sweep()).toBe(3);
    expect(left()).toEqual([1]);

    addRelease(fixture, await addBuild(fixture, 5, DAY));
    expect(current).not.toBe('');
    expect(await sweep()).toBe(0);
    fixture.clock.advance(7 * DAY);
    expect(await sweep()).toBe(1);
    expect(left()).toEqual([5]);
  });

  it('announces builds again that were live since the last email', async () => {
    const announced = await addBuild(fixture, 1, 360 * DAY);
    await sweep();
    expect(mails()).toHaveLength(1);
    // Promoted before its end: a channel serves it, for a hundred days.
    const release = addRelease(fixture, announced);
    for (const days of [10, 45, 45]) {
      fixture.clock.advance(days * DAY);
      expect(await sweep()).toBe(0);
    }
    expect([left(), mails().length]).toEqual([[1], 1]);
    fixture.app.db.update(releases).set({ state: 'disabled' }).where(eq(releases.id, release)).run();
    expect(await sweep()).toBe(0);
    expect([left(), mails().length]).toEqual([[1], 2]);
    fixture.clock.advance(7 * DAY - MINUTE);
    expect(await sweep()).toBe(0);
    fixture.clock.advance(2 * MINUTE);
    expect(await sweep()).toBe(1);
  });

  it('also deletes live builds if the plan says so', async () => {
    await using own = await startFixture({ config: { plans: { business: { keep_current_builds: false } } } });
    addRelease(own, await addBuild(own, 1, 1_000 * DAY));
    await own.sweep('build-retention');
    own.clock.advance(7 * DAY);
    expect(await own.sweep('build-retention')).toBe(1);
  });

  it('keeps builds forever if the plan has 0', async () => {
    await using own = await startFixture({ config: { plans: { business: { build_retention_days: 0 } } } });
    await addBuild(own, 1, 20_000 * DAY);
    await own.sweep('build-retention');
    own.clock.advance(7 * DAY);
    expect(await own.sweep('build-retention')).toBe(0);
    expect(own.mail.messages).toEqual([]);
  });

  it('records each deletion, notifies webhooks, and deletes the bytes with the row', async () => {
    const id = await addBuild(fixture, 1, 1_000 * DAY);
    const { android_project_id: projectId } = fixture;
    const releaseId = addRelease(fixture, id, 'rolled_back');
    await sweep();
    fixture.clock.advance(7 * DAY);
    const mark = auditMark(fixture);
    const uploadedAt = fixture.app.db.select().from(builds).get()?.uploadedAt ?? 0;
    await sweep();
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'deleted', type: 'release', identifier: releaseId, actorKind: 'system' },
      {
        event: 'build_retention_expired',
        type: 'build',
        identifier: id,
        actorKind: 'system',
        ipAddress: null,
        organizationId: fixture.organization_id,
        details: {
          version_name: '1.0',
          build_number: 1,
          uploaded_at: new Date(uploadedAt).toISOString(),
          retention_days: 365,
        },
      },
    ]);
    expect(outboxRows(fixture, 'build.deleted')).toMatchObject([{ projectId, data: { build_id: id } }]);
    expect(await fixture.app.storage.head(`builds/${id}/package.apk`)).toBeUndefined();
  });

  it('emails each maintainer once, with their projects', async () => {
    const { organization_id: organization, android_project_id: project, ios_project_id: other } = fixture;
    const member = { [organization]: 'member' as const };
    const people = {
      maintainer: await addPerson(fixture, { organizations: member, projects: { [project]: 'maintainer' } }),
      both: await addPerson(fixture, { organizations: member, projects: { [project]: 'admin', [other]: 'admin' } }),
      elsewhere: await addPerson(fixture, { organizations: member, projects: { [other]: 'admin' } }),
      uploader: await addPerson(fixture, { organizations: member, projects: { [project]: 'read_download_upload' } }),
      manager: await addPerson(fixture, { organizations: { [organization]: 'manager' } }),
      locked: await addPerson(fixture, { isLocked: true, organizations: { [organization]: 'admin' } }),
      unverified: await addPerson(fixture, { isVerified: false, organizations: { [organization]: 'admin' } }),
      stranger: await addPerson(fixture),
    };
    for (let number = 1; number <= 12; number += 1) await addBuild(fixture, number, 1_000 * DAY);
    await sweep();
    const counts = Object.fromEntries(Object.entries(people).map(([name, { email }]) => [name, mails(email).length]));
    expect(counts).toEqual({
      maintainer: 1,
      both: 1,
      elsewhere: 0,
      uploader: 0,
      manager: 1,
      locked: 0,
      unverified: 0,
      stranger: 0,
    });
    expect(mails()).toHaveLength(4);
    const [mail] = mails(people.maintainer.email);
    const date = formatMailDay(fixture.clock.now().getTime() + 7 * DAY);
    expect(mail?.subject).toBe('12 builds of “Fixture Organization” will be deleted');
    expect(mail?.text).toContain(`will be deleted starting ${date}. Builds are kept for 365 days.`);
    expect(mail?.text).toContain('Project “Fixture Android”: 1.0 (1), 1.0 (2)');
    expect(mail?.text).toContain('1.0 (10) and 2 more.');
    expect(mail?.text).toContain(`/projects/${project}/builds`);
  });

  it.each([
    [20, undefined],
    [21, 'One more project has such builds.'],
    [22, '2 more projects have such builds.'],
  ])('lists 20 of %i projects', async (count, rest) => {
    const { db } = fixture.app;
    const owner = db.select().from(projects).where(eq(projects.id, fixture.android_project_id)).get();
    if (owner === undefined) throw new Error('no project');
    for (let number = 1; number <= count; number += 1) {
      const build = await addBuild(fixture, number, 1_000 * DAY);
      const id = fixture.app.ids.next();
      db.insert(projects)
        .values({ ...owner, id, name: `Project ${number}` })
        .run();
      db.update(builds).set({ projectId: id }).where(eq(builds.id, build)).run();
    }
    await sweep();
    const [mail, ...others] = mails();
    expect(others).toEqual([]);
    expect(mail?.subject).toBe(`${count} builds of “Fixture Organization” will be deleted`);
    expect(mail?.text.match(/^Project “Project \d+”/gm)).toHaveLength(20);
    expect(mail?.text.match(/^.* more project.*$/m)?.[0]).toBe(rest);
  });

  it('announces all builds that are due, in one email with their number', async () => {
    const { app } = fixture;
    const first = await addBuild(fixture, 1, 1_000 * DAY);
    const columns = app.db.$client.prepare<[], string>("SELECT name FROM pragma_table_info('builds')").pluck().all();
    const different = new Set(['id', 'build_number', 'pending_upload_id', 'object_key']);
    const values = columns.map((name) => (different.has(name) ? `${name} || '-' || n` : name));
    values[columns.indexOf('build_number')] = 'n';
    app.db.$client
      .prepare(
        `INSERT INTO builds (${columns}) WITH RECURSIVE numbers(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1501)
          SELECT ${values} FROM builds, numbers WHERE id = ?`,
      )
      .run(first);
    expect(await sweep()).toBe(0);
    expect(app.db.$client.prepare('SELECT count(*) FROM builds WHERE retention_notice_at IS NULL').pluck().get()).toBe(
      0,
    );
    const [mail, ...others] = mails(fixture.admin.email);
    expect(others).toEqual([]);
    expect(mail?.text).toContain('1501 builds');
    fixture.clock.advance(7 * DAY + MINUTE);
    expect(await sweep()).toBe(1_501);
    expect([left(), mails(fixture.admin.email).length]).toEqual([[], 1]);
  });

  it('writes the emails to many maintainers in batches, and none if the marks fail', async () => {
    const { app, organization_id: organizationId } = fixture;
    await addBuild(fixture, 1, 1_000 * DAY);
    const createdAt = fixture.clock.now().getTime();
    for (let number = 1; number < 60; number += 1) {
      const id = app.ids.next();
      const row = { id, email: `manager-${number}@example.test`, displayName: 'Manager', createdAt };
      app.db
        .insert(developers)
        .values({ ...row, emailVerifiedAt: createdAt })
        .run();
      app.db
        .insert(organizationMemberships)
        .values({ organizationId, developerId: id, role: 'manager', createdAt })
        .run();
    }
    const client = app.db.$client;
    client.exec(`CREATE TRIGGER power_cut BEFORE UPDATE OF retention_notice_at ON builds
      BEGIN SELECT RAISE(ABORT, 'power cut'); END`);
    await expect(sweep()).rejects.toThrow('power cut');
    await fixture.drain();
    expect(mails()).toEqual([]);
    client.exec('DROP TRIGGER power_cut');
    expect(await countWritesInOneTurn(client, sweep)).toBeLessThan(100);
    await fixture.drain();
    expect(new Set(mails().map(({ to }) => to)).size).toBe(60);
    expect(mails()).toHaveLength(60);
  });

  it('reads the builds of an age in an index, page by page', () => {
    const values = { organizationId: '', uploadedBy: 0, uploadedAt: 0, position: 0, limit: 1 };
    const steps = fixture.app.db.$client
      .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${AGED_PAGE}`)
      .all(values)
      .map(({ detail }) => detail);
    expect(steps[0]).toMatch(/^SEARCH b USING INDEX builds_age \(organization_id=\? AND uploaded_at[<>]/);
    expect(steps.filter((step) => /^SCAN|TEMP B-TREE/.test(step))).toEqual([]);
  });

  it('reads each membership of a project once to find its maintainers', () => {
    const steps = fixture.app.db.$client
      .prepare<[object], { detail: string }>(`EXPLAIN QUERY PLAN ${MAINTAINERS}`)
      .all({ organizationId: '' })
      .map(({ detail }) => detail);
    expect(steps).toContain('SEARCH pm USING INDEX sqlite_autoindex_project_memberships_1 (project_id=?)');
    expect(steps).toContain(
      'SEARCH m USING INDEX sqlite_autoindex_organization_memberships_1 (organization_id=? AND developer_id=?)',
    );
  });

  it('continues when it is run again after an interruption', async () => {
    for (let number = 1; number <= 50; number += 1) await addBuild(fixture, number, 1_000 * DAY);
    const { $client: client } = fixture.app.db;
    client.exec(`CREATE TRIGGER power_cut BEFORE UPDATE OF retention_notice_at ON builds WHEN old.build_number = 40
      BEGIN SELECT RAISE(ABORT, 'power cut'); END`);
    await expect(sweep()).rejects.toThrow('power cut');
    expect(mails()).toEqual([]);
    client.exec('DROP TRIGGER power_cut');
    await sweep();
    expect(mails()).toHaveLength(1);

    fixture.clock.advance(7 * DAY);
    client.exec(`CREATE TRIGGER power_cut BEFORE DELETE ON builds WHEN old.build_number = 30
      BEGIN SELECT RAISE(ABORT, 'power cut'); END`);
    await expect(sweep()).rejects.toThrow('power cut');
    const remaining = left();
    expect(remaining.length).toBe(30);
    client.exec('DROP TRIGGER power_cut');
    expect(await sweep()).toBe(30);
    const events = auditRows(fixture).filter((row) => row.event === 'build_retention_expired');
    expect(new Set(events.map((row) => row.identifier)).size).toBe(50);
    expect(mails()).toHaveLength(1);
    expect((await fixture.app.storage.list('builds/', { limit: 100 })).items).toEqual([]);
  });
});
