// Retention by the rules of channels, pinned builds, and the list of what will be deleted.
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  ANNOUNCED_OF_PROJECT,
  ANNOUNCED_PAGE,
  RELEASED_PAGE,
  RELEASES_OF_BUILD,
} from '../../src/builds/retention-store.ts';
import { builds, channels, organizationMemberships, organizations, releases } from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { ALL_SCOPES, scopes } from '../../src/permissions.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { auditMark, auditRows, expectRefusal, type Json } from '../support/harness.ts';
import { mailKinds } from '../support/mailbox.ts';
import { addOrganization, addPerson, personalTokenClient } from '../support/people.ts';
import { addBuild, addRelease } from './scenario.ts';

let fixture: Fixture;
beforeEach(async () => {
  // The plan keeps builds forever, so that only channels end them.
  fixture = await startFixture({ config: { plans: { business: { build_retention_days: 0 } } } });
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
const mails = () => fixture.mail.messages.filter(({ subject }) => / will be deleted$/.test(subject));
/** The administrator with a token that outlives the moved clock. */
const admin = (of: Fixture) =>
  personalTokenClient(of, {
    developerId: of.admin.developer_id,
    organizationId: of.organization_id,
    scopes: ALL_SCOPES,
  });
const inProject = () => ({ organization_id: fixture.organization_id, project_id: fixture.android_project_id });
const setRule = (body: object, channelId: string = fixture.channel_id) =>
  admin(fixture).patch<Json>(`/api/v1/channels/${channelId}`, body);
const pin = (id: string, action = 'pin', client = admin(fixture)) =>
  client.post<Json>(`/api/v1/builds/${id}/${action}`);
interface Leaving {
  build: { build_number: number };
  deleted_from: string;
  reason: string;
}
const leaving = async () =>
  (await admin(fixture).get<{ items: Leaving[] }>('/api/v1/builds/leaving', inProject())).body.items.map(
    ({ build, deleted_from: from, reason }) => [build.build_number, from, reason],
  );
const leavingNumbers = async () => (await leaving()).map(([number]) => number);
const inDays = (days: number) => new Date(fixture.clock.now().getTime() + days * DAY).toISOString();

/** Releases builds with these numbers, a day apart; returns their ids. */
async function releaseDaily(...numbers: number[]): Promise<string[]> {
  const ids: string[] = [];
  for (const number of numbers) {
    const id = await addBuild(fixture, number, 0);
    addRelease(fixture, id);
    fixture.clock.advance(DAY);
    ids.push(id);
  }
  return ids;
}

async function addChannel(name: string, rule: object = {}): Promise<string> {
  const { body } = await admin(fixture).post<{ identifier: string }>(
    '/api/v1/channels',
    { name, ...rule },
    inProject(),
  );
  return body.identifier;
}

function releaseTo(channelId: string, buildId: string): void {
  const id = addRelease(fixture, buildId);
  fixture.app.db.update(releases).set({ channelId }).where(eq(releases.id, id)).run();
}

describe('the rules of a channel', () => {
  it('are off by default, can be set and removed, and are limited', async () => {
    const off = await setRule({});
    expect(off.body).toMatchObject({ keep_last: null, keep_days: null });
    const mark = auditMark(fixture);
    expect((await setRule({ keep_last: 20, keep_days: 90 })).body).toMatchObject({ keep_last: 20, keep_days: 90 });
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'edited', type: 'channel', details: { fields: ['keep_last', 'keep_days'] } },
    ]);
    expect((await setRule({ keep_last: null })).body).toMatchObject({ keep_last: null, keep_days: 90 });
    for (const [body, field] of [
      [{ keep_last: 0 }, 'keep_last'],
      [{ keep_last: 1001 }, 'keep_last'],
      [{ keep_days: 0 }, 'keep_days'],
      [{ keep_days: 3651 }, 'keep_days'],
      [{ keep_days: 1.5 }, 'keep_days'],
    ] as const) {
      const refused = await setRule(body);
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([400, expect.stringContaining(field)]);
    }
  });

  it('are set by people who may delete builds, and ended by people who may change the channel', async () => {
    const { organization_id: organizationId, android_project_id: projectId, channel_id: channelId } = fixture;
    const channel = `/api/v1/channels/${channelId}`;
    const place = (role: 'maintainer' | 'admin') =>
      addPerson(fixture, { organizations: { [organizationId]: 'member' }, projects: { [projectId]: role } });
    const [maintainer, owner] = await Promise.all([place('maintainer'), place('admin')]);
    const ofToken = (scopes: bigint) => personalTokenClient(fixture, { developerId: owner.id, organizationId, scopes });
    const created = { name: 'short', keep_last: 1 };
    expectRefusal(await maintainer.client.post('/api/v1/channels', created, inProject()), 403, 'insufficient_role');
    for (const body of [{ keep_last: 5 }, { keep_days: 5 }, { keep_last: 5, keep_days: null }]) {
      expectRefusal(await maintainer.client.patch(channel, body), 403, 'insufficient_role');
    }
    // The scope that changes channels deletes no builds.
    expectRefusal(
      await ofToken(scopes.edit_project | scopes.read).patch(channel, { keep_last: 5 }),
      403,
      'permission_denied',
    );
    expect((await owner.client.patch(channel, { keep_last: 5, keep_days: 30 })).status).toBe(200);
    // What stays the same is no change: forms send everything.
    const same = { keep_last: 5, keep_days: 30, description: 'New' };
    expect((await maintainer.client.patch(channel, same)).body).toMatchObject(same);
    expectRefusal(await maintainer.client.patch(channel, { keep_last: 1000 }), 403, 'insufficient_role');
    expect((await maintainer.client.patch(channel, { keep_last: null })).body).toMatchObject({ keep_last: null });
    const token = await owner.client.post<{ token: string }>(
      '/api/v1/project-access-tokens',
      { name: 'ci', role: 'maintainer' },
      inProject(),
    );
    const refused = await owner.client.as(token.body.token).patch(channel, { keep_last: 5 });
    expectRefusal(refused, 403, 'permission_denied');
  });

  it('keep the last releases, and announce what falls out a week before it goes', async () => {
    await releaseDaily(1, 2, 3, 4);
    await sweep();
    expect(await leaving()).toEqual([]);
    await setRule({ keep_last: 2 });
    expect(await sweep()).toBe(0);
    expect(await leaving()).toEqual([
      [2, inDays(7), 'channels'],
      [1, inDays(7), 'channels'],
    ]);
    expect(mails()).toHaveLength(1);
    expect(mails()[0]?.text).toContain('The rules of their channels no longer keep them.');
    expect(mails()[0]?.text).toContain(': 1.0 (1), 1.0 (2).');
    expect(mails()[0]?.text).toMatch(/^http\S+\/projects\/[\w-]+\/builds$/m);
    fixture.clock.advance(7 * DAY - 1);
    expect(await sweep()).toBe(0);
    fixture.clock.advance(1);
    const mark = auditMark(fixture);
    expect(await sweep()).toBe(2);
    expect(left()).toEqual([3, 4]);
    expect(auditRows(fixture, { after: mark }).filter(({ type }) => type === 'build')).toMatchObject([
      { event: 'build_retention_expired', actorKind: 'system', details: { build_number: 1, rule: 'channels' } },
      { event: 'build_retention_expired', actorKind: 'system', details: { build_number: 2, rule: 'channels' } },
    ]);
    expect([await leaving(), await sweep(), mails().length]).toEqual([[], 0, 1]);
  });

  it('keep releases for days, counted from the last release of the build', async () => {
    const [first = ''] = await releaseDaily(1, 2, 3);
    await setRule({ keep_days: 30 });
    addRelease(fixture, first);
    addRelease(fixture, await addBuild(fixture, 4, 0));
    // Build 2 was released two days ago, build 3 a day ago, build 1 just now.
    fixture.clock.advance(22 * DAY);
    await sweep();
    expect(await leaving()).toEqual([
      [3, inDays(7), 'channels'],
      [2, inDays(7), 'channels'],
    ]);
    fixture.clock.advance(7 * DAY);
    expect(await sweep()).toBe(2);
    expect(left()).toEqual([1, 4]);
    expect(await leaving()).toEqual([[1, inDays(7), 'channels']]);
  });

  it('keep a build that either of both rules keeps', async () => {
    await releaseDaily(1, 2, 3);
    await setRule({ keep_last: 1, keep_days: 30 });
    await sweep();
    expect(await leaving()).toEqual([]);
    await setRule({ keep_last: 3, keep_days: 1 });
    await sweep();
    expect(await leaving()).toEqual([]);
    await setRule({ keep_last: 1, keep_days: 1 });
    await sweep();
    expect(await leavingNumbers()).toEqual([2, 1]);
  });

  it('keep a build as long as one of its channels keeps it, or has no rule', async () => {
    const [shared = '', unruled = ''] = await releaseDaily(1, 2, 3);
    const other = await addChannel('other', { keep_last: 2 });
    const quiet = await addChannel('quiet');
    releaseTo(other, shared);
    releaseTo(quiet, unruled);
    // Live on the other channels is another one, so that only their rules count.
    const newest = await addBuild(fixture, 4, 0);
    for (const channelId of [other, quiet, fixture.channel_id]) releaseTo(channelId, newest);
    await setRule({ keep_last: 1 });
    await sweep();
    expect(await leavingNumbers()).toEqual([3]);
    await setRule({ keep_last: 1 }, other);
    await sweep();
    expect(await leavingNumbers()).toEqual([3, 1]);
    await setRule({ keep_days: 3 }, quiet);
    await sweep();
    expect(await leavingNumbers()).toEqual([3, 2, 1]);
    // What another rule keeps before the week is over stays.
    await setRule({ keep_last: 5 }, other);
    fixture.clock.advance(7 * DAY);
    expect(await sweep()).toBe(2);
    expect(left()).toEqual([1, 4]);
  });

  it("don't touch builds that were released nowhere, or only to deleted channels", async () => {
    await addBuild(fixture, 1, 3_000 * DAY);
    const gone = await addChannel('gone', { keep_last: 1 });
    releaseTo(gone, await addBuild(fixture, 2, 0));
    releaseTo(gone, await addBuild(fixture, 3, 0));
    await admin(fixture).delete(`/api/v1/channels/${gone}`, { force: true });
    await setRule({ keep_days: 1 });
    fixture.clock.advance(100 * DAY);
    await sweep();
    fixture.clock.advance(7 * DAY);
    expect(await sweep()).toBe(0);
    expect(left()).toEqual([1, 2, 3]);
  });

  it('are announced to nobody in another organization', async () => {
    const stranger = await addPerson(fixture);
    const theirs = eq(organizations.id, await addOrganization(stranger));
    // Organizations are swept by their ids.
    fixture.app.db.$client.pragma('foreign_keys = OFF');
    const id = '00000000-0000-7000-8000-000000000000';
    fixture.app.db.update(organizations).set({ id }).where(theirs).run();
    fixture.app.db
      .update(organizationMemberships)
      .set({ organizationId: id })
      .where(eq(organizationMemberships.developerId, stranger.id))
      .run();
    fixture.app.db.$client.pragma('foreign_keys = ON');
    await releaseDaily(1, 2);
    await setRule({ keep_last: 1 });
    await sweep();
    expect(await leavingNumbers()).toEqual([1]);
    expect(mailKinds(fixture, fixture.admin.email)).toEqual(['build_retention']);
    expect(mailKinds(fixture, stranger.email)).toEqual([]);
  });

  it('never delete the build that is live, also after a rollback', async () => {
    const [first = ''] = await releaseDaily(1, 2);
    await setRule({ keep_last: 1, keep_days: 1 });
    await sweep();
    expect(await leavingNumbers()).toEqual([1]);
    fixture.app.db.update(releases).set({ state: 'rolled_back' }).where(eq(releases.buildId, first)).run();
    const rolledBack = fixture.app.db.select().from(builds).where(eq(builds.buildNumber, 2)).get()?.id ?? '';
    fixture.app.db.update(releases).set({ state: 'active' }).where(eq(releases.buildId, first)).run();
    fixture.app.db.update(releases).set({ state: 'rolled_back' }).where(eq(releases.buildId, rolledBack)).run();
    expect(await leaving()).toEqual([]);
    fixture.clock.advance(8 * DAY);
    expect(await sweep()).toBe(0);
    expect(left()).toEqual([1, 2]);
  });

  it("don't prolong the days of the plan", async () => {
    await using own = await startFixture({ config: { plans: { business: { build_retention_days: 30 } } } });
    own.app.db.update(organizations).set({ tier: 'business' }).run();
    own.app.db.update(channels).set({ keepDays: 3650 }).where(eq(channels.id, own.channel_id)).run();
    addRelease(own, await addBuild(own, 1, 24 * DAY));
    addRelease(own, await addBuild(own, 2, 0));
    await own.sweep('build-retention');
    expect(own.mail.messages.at(-1)?.text).toContain('Builds are kept for 30 days.');
    own.clock.advance(7 * DAY);
    expect(await own.sweep('build-retention')).toBe(1);
  });

  it('read by index', () => {
    const values = { organizationId: '', projectId: '', id: '', channelId: '', after: '', before: '', limit: 1 };
    const planOf = (text: string, ...given: unknown[]) =>
      fixture.app.db.$client
        .prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${text}`)
        .all(...given)
        .map(({ detail }) => detail);
    for (const text of [ANNOUNCED_PAGE, ANNOUNCED_OF_PROJECT, RELEASED_PAGE]) {
      const steps = planOf(text, values);
      expect(steps.filter((step) => /^SCAN|TEMP B-TREE/.test(step))).toEqual([]);
    }
    expect(planOf(RELEASES_OF_BUILD, '', 1)[0]).toMatch(/^SEARCH r USING INDEX releases_build \(build_id=\?\)/);
  });
});

describe('a pinned build', () => {
  it('is never deleted, leaves the list, and is announced again after it was unpinned', async () => {
    const [first = '', second = ''] = await releaseDaily(1, 2, 3);
    await setRule({ keep_last: 1 });
    await sweep();
    const mark = auditMark(fixture);
    const pinned = await pin(first);
    expect([pinned.status, pinned.body.pinned_at]).toEqual([200, fixture.clock.now().toISOString()]);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'pinned', type: 'build', identifier: first, details: { version_name: '1.0', build_number: 1 } },
    ]);
    expect(await leavingNumbers()).toEqual([2]);
    fixture.clock.advance(7 * DAY);
    expect(await sweep()).toBe(1);
    expect(left()).toEqual([1, 3]);
    expect(second).not.toBe('');
    const unpinned = await pin(first, 'unpin');
    expect(unpinned.body.pinned_at).toBeNull();
    expect(await sweep()).toBe(0);
    expect(await leaving()).toEqual([[1, inDays(7), 'channels']]);
    fixture.clock.advance(7 * DAY);
    expect(await sweep()).toBe(1);
  });

  it('is kept by no plan either, but people can delete it', async () => {
    await using own = await startFixture({
      config: { plans: { business: { build_retention_days: 30, keep_current_builds: false } } },
    });
    const id = await addBuild(own, 1, 100 * DAY);
    await pin(id, 'pin', admin(own));
    await own.sweep('build-retention');
    own.clock.advance(8 * DAY);
    expect(await own.sweep('build-retention')).toBe(0);
    const removed = await admin(own).delete(`/api/v1/builds/${id}`);
    expect(removed.status).toBe(204);
  });

  it('requires the role maintainer, records repetitions, and there can be 100', async () => {
    const id = await addBuild(fixture, 1, 0);
    const { organization_id: organization, android_project_id: project } = fixture;
    const uploader = await addPerson(fixture, {
      organizations: { [organization]: 'member' },
      projects: { [project]: 'read_download_upload' },
    });
    expect((await pin(id, 'pin', uploader.client)).status).toBe(404);
    await pin(id);
    const mark = auditMark(fixture);
    expect((await pin(id)).status).toBe(200);
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'redundant_action', type: 'build', details: { action: 'pin' } },
    ]);
    for (let number = 2; number <= 100; number += 1) await addBuild(fixture, number, 0);
    fixture.app.db.update(builds).set({ pinnedAt: 1 }).run();
    const last = await addBuild(fixture, 101, 0);
    expectRefusal(await pin(last), 400, 'quota_exceeded');
    const unpinning = auditMark(fixture);
    for (const _ of ['once', 'again']) expect((await pin(id, 'unpin')).body.pinned_at).toBeNull();
    expect(auditRows(fixture, { after: unpinning })).toMatchObject([
      { event: 'unpinned', type: 'build', identifier: id },
      { event: 'redundant_action', type: 'build', identifier: id, details: { action: 'unpin' } },
    ]);
    expect((await pin(last)).status).toBe(200);
  });
});
