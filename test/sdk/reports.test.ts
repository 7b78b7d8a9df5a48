// Reports of installs: accepted immediately, saved later in batches, limited, and readable by developers.

import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sdkInstalls, sdkReports } from '../../src/data/tables/tables.ts';
import { HOUR, MINUTE, SECOND } from '../../src/lib/clock.ts';
import { createInstallJournal, installJournalOf } from '../../src/sdk/journal.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { ABSENT, type Answer, expectInvalid, type Json, type Page, walkPages } from '../support/harness.ts';
import { type Held, type SdkScenario, startSdkScenario } from './scenario.ts';

let fixture: Fixture;
let scenario: SdkScenario;
let releaseId: string;
let held: Held;
let installId: string;

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());
beforeEach(async () => {
  scenario = await startSdkScenario(fixture);
  releaseId = await scenario.release(`1.${scenario.channelId}`, 1);
  const enrolled = await scenario.enroll({ device_model: 'Pixel 9' });
  held = { key: scenario.app.app_key, token: enrolled.update_token };
  installId = enrolled.install_id;
});

const report = (body: Json, who = held) => scenario.tell('/installs/report', who, body);
const flush = () => installJournalOf(fixture.app).flush();
const installs = async (): Promise<Json[]> =>
  (await (await scenario.staff()).get<Page>(`/api/v1/sdk-apps/${scenario.app.identifier}/installs`)).body.items;
const adoption = async (): Promise<unknown> =>
  (await (await scenario.staff()).get(`/api/v1/releases/${releaseId}/analytics`)).body.installs;
const takers = async (id = releaseId): Promise<Json[]> =>
  (await (await scenario.staff()).get<Page>(`/api/v1/releases/${id}/installs`)).body.items;

describe('a report', () => {
  it('returns 202 and an empty body before it is written', async () => {
    const answer: Answer<unknown> = await report({ release_id: releaseId, state: 'installed' });
    expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([202, '', null]);
    expect(await adoption()).toMatchObject({ total: 0 });
    flush();
    expect(await adoption()).toEqual({ total: 1, downloaded: 0, installed: 1, launched: 0, failed: 0 });
  });

  it('is written automatically within moments', async () => {
    await report({ release_id: releaseId, state: 'launched' });
    await expect.poll(adoption).toMatchObject({ launched: 1 });
  });

  it('counts an install once for each release, by its last report', async () => {
    for (const state of ['downloaded', 'installed', 'launched', 'launched', 'failed', 'installed']) {
      await report({ release_id: releaseId, state });
      flush();
    }
    expect(await adoption()).toEqual({ total: 1, downloaded: 0, installed: 1, launched: 0, failed: 0 });
    const other = await scenario.release(`2.${scenario.channelId}`, 2);
    await report({ release_id: other, state: 'downloaded' });
    flush();
    expect(await adoption()).toMatchObject({ total: 1 });
    expect(await installs()).toMatchObject([{ last_report: { release_id: other, state: 'downloaded', error: null } }]);
  });

  it('stores the error, and deletes it after a success', async () => {
    await report({ release_id: releaseId, state: 'failed', error: 'INSTALL_FAILED_INSUFFICIENT_STORAGE' });
    flush();
    const failure = { release_id: releaseId, state: 'failed', error: 'INSTALL_FAILED_INSUFFICIENT_STORAGE' };
    expect(await installs()).toMatchObject([{ last_report: failure }]);
    expect(await takers()).toMatchObject([{ install_id: installId, device_model: 'Pixel 9', ...failure }]);
    await report({ release_id: releaseId, state: 'installed', error: 'not kept' });
    flush();
    expect(await takers()).toMatchObject([{ state: 'installed', error: null }]);
  });

  it('without a release, or about an unknown or foreign one, only updates the install', async () => {
    const foreign = await startSdkScenario(fixture, 'ios');
    const foreignRelease = await foreign.release('1.0', 1);
    for (const body of [
      { state: 'launched' },
      { state: 'launched', release_id: ABSENT },
      { state: 'launched', release_id: foreignRelease },
      { state: 'launched', release_id: null, error: null },
    ]) {
      expect((await report(body)).status).toBe(202);
    }
    flush();
    expect(await installs()).toMatchObject([{ last_report: { state: 'launched', release_id: null } }]);
    expect(await takers(foreignRelease)).toEqual([]);
    expect(fixture.app.db.select().from(sdkReports).where(eq(sdkReports.releaseId, foreignRelease)).all()).toEqual([]);
  });

  it.each([
    [{}, 'body.state: missing'],
    [{ state: 'exploded' }, 'body.state: enum'],
    [{ state: 'failed', error: 'x'.repeat(1001) }, 'body.error: string_too_long'],
    [{ state: 'failed', error: 'a\u0000b' }, 'body.error: string_pattern_mismatch'],
    [{ state: 'failed', release_id: 'latest' }, 'body.release_id: uuid_parsing'],
  ])('is rejected as %j', async (body, expected) => {
    expectInvalid(await report(body), expected);
  });

  it('keeps rows of at most ten releases', async () => {
    const ids: string[] = [];
    for (let number = 10; number < 23; number += 1) {
      const id = await scenario.release(`${number}.${scenario.channelId}`, number);
      ids.push(id);
      await report({ release_id: id, state: 'launched' });
      flush();
      fixture.clock.advance(SECOND);
    }
    const row = fixture.app.db.select().from(sdkInstalls).where(eq(sdkInstalls.installId, installId)).get();
    const kept = fixture.app.db
      .select()
      .from(sdkReports)
      .where(eq(sdkReports.installRowId, row?.id ?? ''))
      .all();
    expect(kept.map((one) => one.releaseId).sort()).toEqual(ids.slice(-10).sort());
  });

  it('is deleted with its release, by the next cleanup job', async () => {
    await report({ release_id: releaseId, state: 'launched' });
    flush();
    expect((await (await scenario.staff()).delete(`/api/v1/releases/${releaseId}`)).status).toBe(204);
    expect(await fixture.sweep('sessions')).toBe(1);
    expect(fixture.app.db.select().from(sdkReports).where(eq(sdkReports.releaseId, releaseId)).all()).toEqual([]);
  });
});

describe('the list of installs of a release', () => {
  it('contains downloads and reports, each once, page by page', async () => {
    const staff = await scenario.staff();
    const reporters: string[] = [];
    for (let index = 0; index < 3; index += 1) {
      const { update_token, install_id } = await scenario.enroll();
      const who = { key: scenario.app.app_key, token: update_token };
      reporters.push(install_id);
      expect((await scenario.ask(`/releases/${releaseId}/download`, who)).status).toBe(200);
      await report({ release_id: releaseId, state: 'launched' }, who);
    }
    flush();
    // This one fetched it and said nothing.
    expect((await scenario.ask(`/releases/${releaseId}/download`, held)).status).toBe(200);
    const pages = await walkPages(staff, `/api/v1/releases/${releaseId}/installs`, { limit: 3 });
    expect(pages.map((page) => page.map((item) => [item.install_id, item.state]))).toEqual([
      [
        [installId, 'downloaded'],
        [reporters[2], 'launched'],
        [reporters[1], 'launched'],
      ],
      [[reporters[0], 'launched']],
    ]);
    expect((await staff.get(`/api/v1/releases/${releaseId}/analytics`)).body).toMatchObject({
      total_downloads: 4,
      unique_testers: 0,
      installs: { total: 3, launched: 3 },
    });
  });
});

describe('the list of installs during new reports', () => {
  it('neither misses nor repeats installs between two pages', async () => {
    const path = `/api/v1/releases/${releaseId}/installs`;
    const members: { id: string; who: Held }[] = [];
    for (let index = 0; index < 6; index += 1) {
      const { update_token, install_id } = await scenario.enroll();
      members.push({ id: install_id, who: { key: scenario.app.app_key, token: update_token } });
    }
    const fetchIt = async (who?: Held) =>
      expect((await scenario.ask(`/releases/${releaseId}/download`, who ?? {})).status).toBe(200);
    // The first says how it went without having fetched it here; the others fetch it.
    await report({ release_id: releaseId, state: 'installed' }, members[0]?.who);
    flush();
    for (const { who } of members.slice(1)) await fetchIt(who);
    const seen: unknown[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null; page += 1) {
      const query: { limit: number; cursor?: string } = { limit: 2, ...(cursor === '' ? {} : { cursor }) };
      const { body }: Answer<Page> = await (await scenario.staff()).get<Page>(path, query);
      seen.push(...body.items.map((item) => item.install_id));
      cursor = body.next_cursor;
      if (page > 0) continue;
      for (const { who } of members) await report({ release_id: releaseId, state: 'launched' }, who);
      flush();
      // One comes back for it much later, and so does the one who had it from elsewhere.
      fixture.clock.advance(16 * MINUTE);
      for (const index of [0, 1]) await fetchIt(members[index]?.who);
    }
    const everybody = members.map(({ id }) => id).reverse();
    expect(seen).toEqual(everybody);
    const items = await takers();
    expect(items.map((item) => [item.install_id, item.state])).toEqual(everybody.map((id) => [id, 'launched']));
    expect(await adoption()).toMatchObject({ total: 6, launched: 6 });
  });
});

describe('the last-seen time of an install', () => {
  it('is written at most once an hour', async () => {
    const seen = async () => Date.parse(String((await installs())[0]?.last_seen_at));
    const enrolledAt = await seen();
    fixture.clock.advance(59 * MINUTE);
    await scenario.ask('/app', held);
    flush();
    expect(await seen()).toBe(enrolledAt);
    fixture.clock.advance(MINUTE);
    await scenario.ask('/app', held);
    flush();
    expect((await seen()) - enrolledAt).toBeGreaterThanOrEqual(HOUR);
  });

  it('is written immediately with a new build, once', async () => {
    const running = { version_name: '3.1', build_number: 31 };
    await scenario.latest(held.token ?? '', running);
    flush();
    expect(await installs()).toMatchObject([running]);
    await scenario.latest(held.token ?? '', running);
    const { count } = fixture.app.db.writes;
    flush();
    expect(fixture.app.db.writes.count).toBe(count);
  });
});

describe('collected reports', () => {
  it('are on disk when the server has stopped', async () => {
    const other = await startFixture();
    const there = await startSdkScenario(other);
    const id = await there.release('1.0', 1);
    const { update_token } = await there.enroll();
    const who = { key: there.app.app_key, token: update_token };
    expect((await there.tell('/installs/report', who, { release_id: id, state: 'installed' })).status).toBe(202);
    // The fixture removes its folder when it stops: the rows are looked at just before the database closes.
    const { close } = other.app.db.$client;
    let kept: unknown[] = [];
    other.app.db.$client.close = () => {
      kept = other.app.db.select({ state: sdkReports.state }).from(sdkReports).all();
      return close.call(other.app.db.$client);
    };
    await other.stop();
    expect(kept).toEqual([{ state: 'installed' }]);
  });

  it('are limited, report losses, and survive a database that is not writable', () => {
    const { app } = fixture;
    const warnings: unknown[] = [];
    const log = { warn: (facts: unknown) => void warnings.push(facts) } as never;
    const journal = createInstallJournal({ ...app, log, intervalMs: 1_000_000 });
    const entry = { projectId: ABSENT, releaseId: '', state: 'launched', error: null } as const;
    for (let index = 0; index < 25_000; index += 1) {
      journal.noteReport({ ...entry, installRowId: `install ${index}` });
    }
    // What is known already has its place.
    journal.noteReport({ ...entry, installRowId: 'install 0', state: 'failed' });
    journal.flush();
    expect(warnings).toEqual([{ lost: 5_000 }]);
    const broken = createInstallJournal({
      ...app,
      db: { ...app.db, $client: { pragma: () => 2, transaction: () => () => fail() } } as never,
      log,
    });
    broken.noteSeen({ installRowId: 'install', tokenHash: 'hash' });
    expect(() => broken.stop()).not.toThrow();
    expect(warnings).toHaveLength(2);
  });

  it('are written in small batches, between which other requests run', async () => {
    const { app } = fixture;
    const { transaction } = app.db.$client;
    app.db.$client.pragma('synchronous = FULL');
    let batches = 0;
    const client = Object.assign(Object.create(app.db.$client), {
      transaction: (work: () => void) => {
        batches += 1;
        return transaction.call(app.db.$client, work);
      },
      pragma: app.db.$client.pragma.bind(app.db.$client),
      prepare: app.db.$client.prepare.bind(app.db.$client),
    });
    const journal = createInstallJournal({ ...app, db: { ...app.db, $client: client } as never, intervalMs: 1 });
    for (let index = 0; index < 1000; index += 1) {
      journal.noteSeen({ installRowId: `nobody ${index}`, tokenHash: `hash ${index}` });
    }
    expect(batches).toBe(0);
    await expect.poll(() => batches).toBe(10);
    expect(app.db.$client.pragma('synchronous', { simple: true })).toBe(2);
  });
});

function fail(): never {
  throw new Error('the disk is full');
}
