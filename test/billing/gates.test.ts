// Uploads and downloads of organizations that can't pay, and what is metered of the others.
import { eq } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { useAccount } from '../../src/billing/accounts.ts';
import { downloadMeterOf } from '../../src/billing/downloads.ts';
import { admitBuild, checkDownloadFunds, forgetStoredBytes, reserveUpload } from '../../src/billing/gates.ts';
import { countLevels, findNewestUsage } from '../../src/billing/meters.ts';
import { systemContext } from '../../src/core/transact.ts';
import { billingAccounts, builds, creditEntries, organizations, reservations } from '../../src/data/tables/tables.ts';
import { DAY, HOUR, MINUTE } from '../../src/lib/clock.ts';
import type { ObjectPlace } from '../../src/lib/storage-backends.ts';
import { complete, initiate, type Pending, sendBytes, startBuildScenario, uploadBuild } from '../builds/scenario.ts';
import { buildApk, sha256 } from '../support/fixtures.ts';
import { auditMark, auditRows, expectRefusal } from '../support/harness.ts';
import { listReservations, type MeteredScenario, startMetered } from './metered.ts';

let scenario: MeteredScenario;

beforeAll(async () => {
  scenario = await startMetered();
});
afterAll(async () => {
  await scenario[Symbol.asyncDispose]();
});

/** Leaves exactly this balance, and no reservations and caps. */
function setBalance(cents: number): void {
  const { app } = scenario.fixture;
  systemContext(app).transact((tx) => void useAccount(tx, scenario.organization), { bookkeeping: true });
  app.db.delete(reservations).run();
  app.db.delete(creditEntries).run();
  app.db.update(billingAccounts).set({ balanceCents: 0, monthlyCapCents: null, accountCeilingCents: null }).run();
  if (cents > 0) scenario.credit(cents);
}

const tryInitiate = (number: number) =>
  scenario.ci.post('/api/v1/builds/initiate', { version_name: '9.0', build_number: number }, { ...scenario.android });

const download = (id: string) =>
  scenario.ci.get<{ download_url: string }>(`/api/v1/builds/${id}/download`, { ...scenario.android });

const setCap = async (cents: number | null) =>
  (await scenario.current()).put(`/api/v1/organizations/${scenario.organization}/spend-cap`, {
    monthly_cap_cents: cents,
  });

describe('an upload', () => {
  beforeEach(() => setBalance(0));

  it('is refused without credit, after the rules for its identity', async () => {
    setBalance(100);
    await initiate(scenario.ci, scenario.android, { version_name: '9.0', build_number: 1 });
    setBalance(0);
    expectRefusal(await tryInitiate(1), 409, 'already_exists');
    expect(expectRefusal(await tryInitiate(2), 402, 'prepaid_credit_exhausted')).toEqual({});
  });

  it('is admitted as often as the balance lasts, of 50 at the same time', async () => {
    setBalance(35);
    const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => tryInitiate(100 + index)));
    const admitted = answers.filter(({ status }) => status === 201).length;
    expect(admitted).toBe(3);
    const others = answers.filter(({ status }) => status !== 201).map(({ body }) => body.error);
    expect(new Set(others)).toEqual(new Set(['prepaid_credit_exhausted']));
  });

  it('is refused at the spend cap, which counts what is reserved', async () => {
    setBalance(1000);
    expect((await setCap(25)).body).toEqual({
      monthly_cap_cents: 25,
      account_ceiling_cents: null,
      effective_cap_cents: 25,
    });
    expect((await tryInitiate(201)).status).toBe(201);
    expect((await tryInitiate(202)).status).toBe(201);
    expect(expectRefusal(await tryInitiate(203), 402, 'spend_cap_exceeded')).toEqual({});
    await setCap(0);
    expectRefusal(await tryInitiate(204), 402, 'spend_cap_exceeded');
  });

  it('that can not be paid when it is completed stays, and is completed later', async () => {
    setBalance(100);
    const pending = await initiate(scenario.ci, scenario.android);
    const bytes = buildApk();
    await sendBytes(pending, bytes);
    setBalance(0);
    const refused = await complete(scenario.ci, scenario.android, pending.pending_upload_id, sha256(bytes));
    expectRefusal(refused, 402, 'prepaid_credit_exhausted');
    // Until it is completed, a PUT can replace it.
    expect(await sendBytes(pending, bytes)).toBe(201);
    setBalance(100);
    const done = await complete(scenario.ci, scenario.android, pending.pending_upload_id, sha256(bytes));
    expect(done.status, done.text).toBe(201);
  });

  it('uses its own reservation, and releases it when it is completed or swept', async () => {
    setBalance(15);
    const { fixture } = scenario;
    const pending = await initiate(scenario.ci, scenario.android);
    const bytes = buildApk();
    await sendBytes(pending, bytes);
    expectRefusal(await tryInitiate(301), 402, 'prepaid_credit_exhausted');
    const done = await complete(scenario.ci, scenario.android, pending.pending_upload_id, sha256(bytes));
    expect(done.status, done.text).toBe(201);
    expect(listReservations(fixture.app)).toEqual([]);
    setBalance(100);
    await initiate(scenario.ci, scenario.android);
    expect(listReservations(fixture.app)).toHaveLength(1);
    fixture.clock.advance(2 * HOUR);
    await fixture.sweep('pending-uploads');
    expect(listReservations(fixture.app)).toEqual([]);
  });
});

describe('an upload without version and number', () => {
  it('releases its reservation when its package turns out to be a build', async () => {
    setBalance(1000);
    const { fixture, android, ci } = scenario;
    const bytes = buildApk();
    for (let turn = 0; turn < 2; turn += 1) {
      const body = { identity_from_package: true };
      const pending = await ci.post<Pending>('/api/v1/builds/initiate', body, { ...android });
      expect(await sendBytes(pending.body, bytes)).toBe(201);
      const done = await complete(ci, android, pending.body.pending_upload_id, sha256(bytes));
      expect(done.status, done.text).toBe(201);
      expect(listReservations(fixture.app)).toEqual([]);
    }
  });
});

describe('stored bytes', () => {
  it('are metered from complete to deletion, revoked builds too', async () => {
    setBalance(1000);
    const { app } = scenario.fixture;
    const level = () => findNewestUsage(app, scenario.organization)?.levelBytes;
    const before = level() ?? 0;
    const bytes = buildApk();
    const build = await uploadBuild(scenario.ci, scenario.android, bytes);
    expect(level()).toBe(before + bytes.length);
    const admin = await scenario.current();
    const path = `/api/v1/builds/${build.identifier}`;
    expect((await admin.post(`${path}/revoke`, {}, { ...scenario.android })).status).toBe(200);
    expect(level()).toBe(before + bytes.length);
    expect((await admin.delete(path, { ...scenario.android })).status).toBe(204);
    expect(level()).toBe(before);
    expect(level()).toBe(countLevels(app, scenario.organization).bytes);
  });
});

describe('a download', () => {
  it('reserves its cost, and what was sent takes it off', async () => {
    setBalance(1000);
    const { app } = scenario.fixture;
    const bytes = buildApk();
    const build = await uploadBuild(scenario.ci, scenario.android, bytes);
    app.db.delete(reservations).run();
    const before = findNewestUsage(app, scenario.organization)?.downloadedBytes ?? 0;
    const answer = await download(build.identifier);
    expect(answer.status, answer.text).toBe(200);
    const cost = Number((BigInt(bytes.length) * 1_000_000n) / 2n ** 20n);
    expect(listReservations(app)).toMatchObject([{ kind: 'download', amountUcents: cost }]);
    const part = await fetch(answer.body.download_url, { headers: { range: 'bytes=0-99' } });
    expect((await part.arrayBuffer()).byteLength).toBe(100);
    downloadMeterOf(app).flush();
    expect(findNewestUsage(app, scenario.organization)?.downloadedBytes).toBe(before + 100);
    const left = listReservations(app)[0]?.amountUcents ?? 0;
    expect(left).toBe(cost - Number((100n * 1_000_000n) / 2n ** 20n));
    const whole = await fetch(answer.body.download_url);
    expect((await whole.arrayBuffer()).byteLength).toBe(bytes.length);
    downloadMeterOf(app).flush();
    expect(findNewestUsage(app, scenario.organization)?.downloadedBytes).toBe(before + 100 + bytes.length);
    expect(listReservations(app)[0]?.amountUcents).toBe(0);
    scenario.fixture.clock.advance(17 * MINUTE);
    await scenario.fixture.sweep('reservations');
    expect(listReservations(app)).toEqual([]);
  });

  it('behind a proxy that sends the bytes counts those of the requested range, and none of HEAD', async () => {
    await using proxied = await startMetered({}, { server: { accel_redirect: '/protected' } });
    proxied.credit(1000);
    const { app } = proxied.fixture;
    const bytes = buildApk();
    const build = await uploadBuild(proxied.ci, proxied.android, bytes);
    const path = `/api/v1/builds/${build.identifier}/download`;
    const { body } = await proxied.ci.get<{ download_url: string }>(path, { ...proxied.android });
    const counted = async (init: RequestInit): Promise<number> => {
      const before = findNewestUsage(app, proxied.organization)?.downloadedBytes ?? 0;
      const answer = await fetch(body.download_url, init);
      expect([answer.status, answer.headers.get('x-accel-redirect')?.split('/')[1]]).toEqual([200, 'protected']);
      expect((await answer.arrayBuffer()).byteLength).toBe(0);
      downloadMeterOf(app).flush();
      return (findNewestUsage(app, proxied.organization)?.downloadedBytes ?? 0) - before;
    };
    expect(await counted({ headers: { range: 'bytes=100-299' } })).toBe(200);
    expect(await counted({ headers: { range: 'bytes=-50' } })).toBe(50);
    const key = app.db.select().from(builds).where(eq(builds.id, build.identifier)).get()?.objectKey ?? '';
    const at = (await app.storage.head(key))?.modifiedAt ?? new Date(0);
    const tag = `"${Math.floor(at.getTime() / 1000).toString(16)}-${bytes.length.toString(16)}"`;
    for (const known of [tag, at.toUTCString()]) {
      expect(await counted({ headers: { range: 'bytes=0-0', 'if-range': known } })).toBe(1);
    }
    // nginx sends everything then.
    expect(await counted({ headers: { range: 'bytes=0-0', 'if-range': '"other"' } })).toBe(bytes.length);
    expect(await counted({ headers: { range: 'bytes =0-0' } })).toBe(bytes.length);
    expect(await counted({ method: 'HEAD' })).toBe(0);
    expect(await counted({})).toBe(bytes.length);
  });

  it('is refused without credit and at the cap; reads are not', async () => {
    setBalance(1000);
    const build = await uploadBuild(scenario.ci, scenario.android, buildApk());
    setBalance(0);
    expect(expectRefusal(await download(build.identifier), 402, 'prepaid_credit_exhausted')).toEqual({});
    setBalance(1000);
    await setCap(0);
    expect(expectRefusal(await download(build.identifier), 402, 'spend_cap_exceeded')).toEqual({});
    expect((await scenario.ci.get('/api/v1/builds', { ...scenario.android })).status).toBe(200);
  });

  it('that can not be paid is refused before the storage is asked for a missing package', async () => {
    setBalance(1000);
    const { app } = scenario.fixture;
    const build = await uploadBuild(scenario.ci, scenario.android, buildApk());
    await app.storage.delete(
      app.db.select().from(builds).where(eq(builds.id, build.identifier)).get()?.objectKey ?? '',
    );
    setBalance(0);
    expectRefusal(await download(build.identifier), 402, 'prepaid_credit_exhausted');
    setBalance(1000);
    expectRefusal(await download(build.identifier), 503, 'storage_backend_unavailable');
    expect(listReservations(app)).toEqual([]);
  });

  it('continues without credit for a suspended organization until its period expires', async () => {
    setBalance(1000);
    const { app, clock } = scenario.fixture;
    const build = await uploadBuild(scenario.ci, scenario.android, buildApk());
    setBalance(0);
    const until = clock.now().getTime() + 30 * DAY;
    app.db.update(billingAccounts).set({ operatorLock: 'suspended' }).run();
    app.db.update(organizations).set({ lockReason: 'suspended', lockAdvancesAt: until }).run();
    expect((await download(build.identifier)).status).toBe(200);
    clock.set(new Date(until - 1));
    expect((await download(build.identifier)).status).toBe(200);
    clock.set(new Date(until));
    expect(expectRefusal(await download(build.identifier), 402, 'billing_suspended')).toEqual({
      lock_reason: 'suspended',
    });
    app.db.update(billingAccounts).set({ operatorLock: null }).run();
    app.db.update(organizations).set({ lockReason: null, lockAdvancesAt: null }).run();
  });
});

describe('a trial', () => {
  it('ends to the millisecond, and forfeits what is left of the starter credit', async () => {
    const trial = await startMetered({ starter_credit_cents: 500, trial_days: 14 });
    try {
      const { fixture } = trial;
      const account = fixture.app.db.select().from(billingAccounts).get();
      const ends = account?.trialEndsAt ?? 0;
      fixture.clock.set(new Date(ends - 1));
      const initiateNow = () =>
        trial.ci.post('/api/v1/builds/initiate', { version_name: '1', build_number: 1 }, { ...trial.android });
      expect((await initiateNow()).status).toBe(201);
      fixture.clock.set(new Date(ends));
      expect(expectRefusal(await initiateNow(), 402, 'trial_ended')).toEqual({ lock_reason: 'grace' });
      expect(await trial.billing()).toMatchObject({ lock_reason: 'grace', balance_cents: 500 });
      const after = auditMark(fixture);
      await fixture.sweep('billing');
      await fixture.sweep('billing');
      expect(auditRows(fixture, { after }).map(({ event, details }) => ({ event, details }))).toMatchObject([
        { event: 'org_lifecycle_changed' },
        { event: 'credit_forfeited' },
      ]);
      expect(await trial.billing()).toMatchObject({ lock_reason: 'grace', balance_cents: 0, lifecycle: 'trial' });
    } finally {
      await trial[Symbol.asyncDispose]();
    }
  });
});

describe('with billing off', () => {
  it('nothing is metered, refused or written', async () => {
    const free = await startBuildScenario();
    try {
      const build = await uploadBuild(free.ci, free.android, buildApk());
      const answer = await free.ci.get(`/api/v1/builds/${build.identifier}/download`, { ...free.android });
      expect(answer.status).toBe(200);
      expect(JSON.stringify(answer.body)).not.toContain('billed');
      const { db } = free.fixture.app;
      expect([db.select().from(billingAccounts).all(), listReservations({ db })]).toEqual([[], []]);
      const state = await free.admin.get(`/api/v1/organizations/${free.fixture.organization_id}/billing`);
      expect(state.body).toMatchObject({ enabled: false, provider: 'none', balance_cents: 0, prices: null });
    } finally {
      await free[Symbol.asyncDispose]();
    }
  });
});

describe('an organization with a container of its own', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('passes both gates, and only what the server stores is metered', () => {
    setBalance(0);
    const { app } = scenario.fixture;
    const { organization: organizationId } = scenario;
    vi.spyOn(app.storage, 'placeForNew').mockReturnValue('azure:a');
    vi.spyOn(app.storage, 'placeOf').mockImplementation((key) => (key === 'builds/own' ? 'azure:a' : 'local'));
    const levels = () => findNewestUsage(app, organizationId)?.levelBytes;
    const before = levels();
    const expiresAt = app.clock.now().getTime() + HOUR;
    const download = { organizationId, sizeBytes: 2 ** 40, reservationId: 'a', expiresAt };
    checkDownloadFunds(systemContext(app), { ...download, objectKey: 'builds/earlier' });
    systemContext(app).transact(
      (tx) => {
        reserveUpload(tx, { id: 'a', organizationId, expiresAt: tx.now + HOUR });
        admitBuild(tx, { organizationId, uploadId: 'a', bytes: 1_000, key: 'builds/own' });
        forgetStoredBytes(tx, { organizationId, bytes: 1_000, key: 'builds/own' });
      },
      { bookkeeping: true },
    );
    expect(listReservations(app)).toEqual([]);
    expect(levels()).toBe(before);
    systemContext(app).transact(
      (tx) => admitBuild(tx, { organizationId, uploadId: 'b', bytes: 1_000, key: 'builds/earlier' }),
      { bookkeeping: true },
    );
    expect(levels()).toBe((before ?? 0) + 1_000);
  });

  it('pays nothing for a package in a container that new packages are not sent to', async () => {
    setBalance(1000);
    const { app } = scenario.fixture;
    const { organization: organizationId } = scenario;
    const { identifier } = await uploadBuild(scenario.ci, scenario.android, buildApk());
    setBalance(0);
    expectRefusal(await download(identifier), 402, 'prepaid_credit_exhausted');
    vi.spyOn(app.storage, 'placeOf').mockReturnValue('azure:a');
    const answer = await download(identifier);
    expect(answer.status, answer.text).toBe(200);
    expect(decodeURIComponent(answer.body.download_url)).not.toContain('billed');
    systemContext(app).transact(
      (tx) => admitBuild(tx, { organizationId, uploadId: 'c', bytes: 1_000, key: 'builds/own' }),
      { bookkeeping: true },
    );
    expect(listReservations(app)).toEqual([]);
  });

  it('is metered for downloads of a package that the server still stores, which pass the gate', async () => {
    setBalance(1000);
    const { app } = scenario.fixture;
    const { organization } = scenario;
    const bytes = buildApk();
    const { identifier } = await uploadBuild(scenario.ci, scenario.android, bytes, { build_number: 77 });
    setBalance(0);
    await setCap(0);
    vi.spyOn(app.storage, 'placeForNew').mockReturnValue('azure:a');
    const downloaded = () => findNewestUsage(app, organization)?.downloadedBytes ?? 0;
    const before = downloaded();
    const answer = await download(identifier);
    expect(answer.status, answer.text).toBe(200);
    expect(listReservations(app)).toEqual([]);
    await (await fetch(answer.body.download_url)).arrayBuffer();
    downloadMeterOf(app).flush();
    expect(downloaded() - before).toBe(bytes.length);
  });

  it('is metered by a package that moves between the server and the container', async () => {
    setBalance(1000);
    const { app } = scenario.fixture;
    const bytes = buildApk();
    const { identifier: buildId } = await uploadBuild(scenario.ci, scenario.android, bytes);
    const { organization: organizationId } = scenario;
    const level = () => findNewestUsage(app, organizationId)?.levelBytes ?? 0;
    const before = level();
    const without = before - bytes.length;
    const move = (from: ObjectPlace, to: ObjectPlace) =>
      systemContext(app).transact(
        (tx) => {
          tx.db.$client
            .prepare(
              `INSERT INTO object_places (object_key, backend) SELECT object_key, ? FROM builds WHERE id = ?
                ON CONFLICT DO UPDATE SET backend = excluded.backend`,
            )
            .run(to, buildId);
          for (const hook of tx.hooks.packageMoved) hook(tx, { organizationId, bytes: bytes.length, from, to });
        },
        { bookkeeping: true },
      );
    move('local', 's3');
    expect(level()).toBe(before);
    move('s3', 'azure:a');
    expect(level()).toBe(without);
    move('azure:a', 'azure:b');
    expect(level()).toBe(without);
    move('azure:b', 'local');
    expect(level()).toBe(before);
  });

  it('has no service-side cap', async () => {
    vi.spyOn(scenario.fixture.app.storage, 'placeForNew').mockReturnValue('azure:a');
    const { body } = await (await scenario.current()).get(`/api/v1/organizations/${scenario.organization}/billing`);
    expect(body).toMatchObject({ enabled: true, has_service_side_cap: false });
  });
});
