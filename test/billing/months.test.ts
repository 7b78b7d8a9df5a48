// Months, prices, seats and the first start with billing, with amounts computed by hand.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accountsAtStartOf } from '../../src/billing/lifecycle.ts';
import { countLevels, findNewestUsage } from '../../src/billing/meters.ts';
import { lockOrganization } from '../../src/billing/operator.ts';
import { readBalance } from '../../src/billing/service.ts';
import { readMonth } from '../../src/billing/usage.ts';
import type { PartialConfig } from '../../src/config.ts';
import { runSweep } from '../../src/core/sweeps.ts';
import { systemContext } from '../../src/core/transact.ts';
import {
  auditEvents,
  billingAccounts,
  builds,
  creditEntries,
  organizations,
  priceLists,
} from '../../src/data/tables/tables.ts';
import { lockOf } from '../../src/http/organization-lock.ts';
import { createMovableClock, DAY, HOUR, type MovableClock } from '../../src/lib/clock.ts';
import { createServer, type Server } from '../../src/server.ts';
import { sweeps } from '../../src/sweeps.ts';
import { migratedDatabase } from '../../src/testing/fixture.ts';
import { createSampleData } from '../../src/testing/sample-data.ts';
import type { SampleData } from '../../src/testing/types.ts';
import { expectInvalid, type Json } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { type MeteredScenario, startMetered } from './metered.ts';

const GIB = 2 ** 30;
/** June has 30 days. */
const JUNE = Date.parse('2030-06-01T00:00:00.000Z');
const JULY = Date.parse('2030-07-01T00:00:00.000Z');

describe('a server over several starts', () => {
  let folder: string;
  let clock: MovableClock;
  let server: Server | undefined;
  let data: SampleData;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'taxiway-months-'));
    writeFileSync(join(folder, 'taxiway.db'), migratedDatabase(), { mode: 0o600 });
    clock = createMovableClock(new Date(JUNE));
    await start({ enabled: false });
    data = await createSampleData(running());
  });
  afterEach(async () => {
    await server?.stop();
    server = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  const running = (): Server => {
    if (server === undefined) throw new Error('no server runs');
    return server;
  };

  /** Starts the server, or starts it again, with this billing. */
  async function start(billing: PartialConfig['billing']): Promise<void> {
    await server?.stop();
    server = await createServer(
      {
        server: { port: 0, data_dir: folder },
        database: { synchronous: 'normal' },
        log: { level: 'silent' },
        ...(billing === undefined ? {} : { billing }),
      },
      { clock, isScheduleOff: true, passwordCost: { memory: 8, passes: 1, parallelism: 1 } },
    );
    await server.start();
    await accountsAtStartOf(server.app).done;
  }

  function addBuild(sizeBytes: number): void {
    const { app } = running();
    const id = app.ids.next();
    app.db
      .insert(builds)
      .values({
        id,
        organizationId: data.organization_id,
        projectId: data.android_project_id,
        platform: 'android',
        versionName: '1.0',
        buildNumber: 1,
        sha256: '0'.repeat(64),
        sizeBytes,
        uploadedAt: clock.now().getTime(),
        objectKey: `builds/${id}/package.apk`,
        inspectionStatus: 'ok',
        pendingUploadId: app.ids.next(),
      })
      .run();
  }

  const sweep = () => {
    const billing = sweeps.find(({ name }) => name === 'billing');
    if (billing === undefined) throw new Error('no sweep');
    return runSweep(systemContext(running().app), billing);
  };
  const entries = () =>
    running()
      .app.db.select()
      .from(creditEntries)
      .all()
      .map(({ kind, note, amountCents }) => [kind, note, amountCents]);
  const accounts = () => running().app.db.select().from(billingAccounts).all();

  const prices = { storage_gib_month_cents: 300, download_gib_cents: 0, seat_month_cents: 90 };

  it('gets the accounts of existing organizations at the first start with billing on', async () => {
    addBuild(3 * GIB);
    addOrganizations(120);
    expect(accounts()).toEqual([]);
    clock.set(new Date(JUNE + 5 * DAY));
    await start({ enabled: true, trial_days: 14, starter_credit_cents: 700, prices });
    expect(accounts()).toHaveLength(121);
    for (const account of accounts()) {
      expect(account).toMatchObject({
        lifecycle: 'trial',
        trialEndsAt: JUNE + 19 * DAY,
        balanceCents: 700,
        pausedAt: null,
      });
    }
    expect(findNewestUsage(running().app, data.organization_id)).toMatchObject({
      month: '2030-06',
      levelBytes: 3 * GIB,
      levelSeats: 1,
      levelSince: JUNE + 5 * DAY,
      storedByteMs: '0',
    });
    // A second start changes nothing.
    const before = [accounts(), entries()];
    await start({ enabled: true, trial_days: 14, starter_credit_cents: 700, prices });
    expect([accounts(), entries()]).toEqual(before);
  });

  /** Adds organizations that get their accounts at the next start. Returns their ids. */
  function addOrganizations(count: number): string[] {
    const { app } = running();
    return Array.from({ length: count }, (_, number) => {
      const id = app.ids.next();
      app.db
        .insert(organizations)
        .values({ id, name: `Harbor ${number}`, tier: 'team', createdAt: JUNE })
        .run();
      return id;
    });
  }

  it('rejects nothing from its first request with billing off', async () => {
    addOrganizations(120);
    await start({ enabled: true, trial_days: 1, prices });
    clock.set(new Date(JUNE + 2 * DAY));
    await sweep();
    const locks = () => [
      ...new Set(
        running()
          .app.db.select()
          .from(organizations)
          .all()
          .map((row) => lockOf(running().app, row)),
      ),
    ];
    expect(locks()).toEqual(['grace']);
    await running().stop();
    server = await createServer(
      { server: { port: 0, data_dir: folder }, log: { level: 'silent' }, billing: { enabled: false } },
      { clock, isScheduleOff: true },
    );
    await server.start();
    expect(locks()).toEqual([null]);
    await accountsAtStartOf(running().app).done;
    expect(accounts().filter(({ pausedAt }) => pausedAt === null)).toEqual([]);
  });

  it('ends the meters of all accounts but one that is broken', async () => {
    const ids = addOrganizations(70);
    await start({ enabled: true, prices });
    const broken = ids[3] ?? '';
    running().app.db.$client.exec(
      `CREATE TRIGGER broken BEFORE UPDATE ON billing_accounts WHEN old.organization_id = '${broken}'
        BEGIN SELECT raise(ABORT, 'broken'); END`,
    );
    await start({ enabled: false });
    const left = accounts().filter(({ pausedAt }) => pausedAt === null);
    expect(left.map(({ organizationId }) => organizationId)).toEqual([broken]);
    running().app.db.$client.exec('DROP TRIGGER broken');
  });

  it('continues a lock from when it began', async () => {
    await start({ enabled: true, prices });
    lockOrganization(systemContext(running().app), data.organization_id, 'suspended', 'dana');
    clock.set(new Date(JUNE + 2 * DAY));
    await start({ enabled: false });
    clock.set(new Date(JUNE + 4 * DAY));
    await start({ enabled: true, prices });
    const [organization] = running().app.db.select().from(organizations).all();
    expect(organization).toMatchObject({ lockReason: 'suspended', lockAdvancesAt: JUNE + 30 * DAY });
    expect(accounts()[0]?.lockedAt).toBe(JUNE);
  });

  it('applies another period of downloads to organizations that are already suspended', async () => {
    const advances = () => running().app.db.select().from(organizations).get()?.lockAdvancesAt;
    await start({ enabled: true, prices });
    lockOrganization(systemContext(running().app), data.organization_id, 'suspended', 'dana');
    expect(advances()).toBe(JUNE + 30 * DAY);
    clock.set(new Date(JUNE + 2 * DAY));
    for (const days of [1, 40]) {
      await start({ enabled: true, prices, download_days_when_suspended: days });
      expect(advances()).toBe(JUNE + days * DAY);
      expect(accounts()[0]?.lockedAt).toBe(JUNE);
    }
  });

  it('records a trial that ended while billing was off', async () => {
    await start({ enabled: true, trial_days: 5, starter_credit_cents: 700, prices });
    clock.set(new Date(JUNE + 2 * DAY));
    await start({ enabled: false });
    clock.set(new Date(JUNE + 20 * DAY));
    await start({ enabled: true, trial_days: 5, starter_credit_cents: 700, prices });
    await sweep();
    const { app } = running();
    const [organization] = app.db.select().from(organizations).all();
    expect(organization?.lockReason).toBe('grace');
    // Two days of a seat, rounded up to whole cents.
    expect(entries()).toEqual([
      ['topup', 'Starter credit', 700],
      ['forfeit', 'Starter credit', 700 - 6],
    ]);
    const words = app.db.select().from(auditEvents).all();
    expect(words.filter(({ event }) => event === 'org_lifecycle_changed')).toHaveLength(1);
    expect(accounts()[0]?.lockedAt).toBe(JUNE + 5 * DAY);
  });

  it('forfeits what was left when the trial ended, however late it starts again', async () => {
    const billing = { enabled: true, trial_days: 5, starter_credit_cents: 700, prices };
    await start(billing);
    await server?.stop();
    server = undefined;
    clock.set(new Date(JULY + 20 * DAY));
    await start(billing);
    await sweep();
    // Five days of a seat were paid from the starter credit. The other 25 days of June weren't.
    expect(entries()).toEqual([
      ['topup', 'Starter credit', 700],
      ['forfeit', 'Starter credit', 700 - 15],
      ['usage', '2030-06 seats', 90],
    ]);
    expect(accounts()[0]?.lockedAt).toBe(JUNE + 5 * DAY);
  });

  it('bills whole months after it slept over two ends of months', async () => {
    addBuild(2 * GIB);
    await start({ enabled: true, prices });
    await running().stop();
    server = undefined;
    clock.set(new Date(Date.parse('2030-08-11T00:00:00.000Z')));
    await start({ enabled: true, prices });
    await sweep();
    await sweep();
    expect(entries()).toEqual([
      ['usage', '2030-06 storage', 600],
      ['usage', '2030-06 seats', 90],
      ['usage', '2030-07 storage', 600],
      ['usage', '2030-07 seats', 90],
    ]);
    expect(accounts()[0]?.balanceCents).toBe(-1380);
    // Ten of the 31 days of August.
    const august = readMonth(running().app, data.organization_id, '2030-08', clock.now().getTime());
    expect(august.costs.storage).toBe((2n * 300n * 1_000_000n * 10n) / 31n);
    expect(august.costs.seats).toBe((90n * 1_000_000n * 10n) / 31n);
  });

  it('applies other prices from its start in the middle of a month', async () => {
    addBuild(2 * GIB);
    await start({ enabled: true, prices });
    clock.set(new Date(JUNE + 10 * DAY));
    await start({ enabled: true, prices: { ...prices, storage_gib_month_cents: 600, seat_month_cents: 0 } });
    clock.set(new Date(JUNE + 10 * DAY));
    await start({ enabled: true, prices: { ...prices, storage_gib_month_cents: 600, seat_month_cents: 0 } });
    expect(running().app.db.select().from(priceLists).all()).toHaveLength(2);
    clock.set(new Date(JULY));
    await sweep();
    // 10 of 30 days at 300 and 20 at 600, and 10 of 30 days of a seat.
    expect(entries()).toEqual([
      ['usage', '2030-06 storage', 200 + 800],
      ['usage', '2030-06 seats', 30],
    ]);
    const { rows } = readMonth(running().app, data.organization_id, '2030-06', JULY);
    expect(rows.map(({ levelSince, closedAt }) => [levelSince, closedAt])).toEqual([
      [JUNE + 10 * DAY, JULY],
      [JULY, JULY],
    ]);
  });

  it('meters nothing while billing is off, keeps balances, and continues with what is stored then', async () => {
    addBuild(GIB);
    await start({ enabled: true, prices });
    clock.set(new Date(JUNE + 10 * DAY));
    await start({ enabled: false });
    expect(accounts()[0]?.pausedAt).toBe(JUNE + 10 * DAY);
    addBuildOf2();
    const balance = () => readBalance(running().app, data.organization_id);
    const before = balance();
    // 10 days of 1 GiB at 300, and of a seat at 90.
    expect(before).toBe(-130);
    clock.set(new Date(JUNE + 20 * DAY));
    expect(balance()).toBe(before);
    await start({ enabled: true, prices });
    expect(findNewestUsage(running().app, data.organization_id)?.levelBytes).toBe(3 * GIB);
    clock.set(new Date(JULY));
    await sweep();
    // 10 days of 1 GiB, and 10 days of 3 GiB.
    expect(entries()).toEqual([
      ['usage', '2030-06 storage', 100 + 300],
      ['usage', '2030-06 seats', 60],
    ]);

    function addBuildOf2(): void {
      const { app } = running();
      const [row] = app.db.select().from(builds).all();
      if (row === undefined) throw new Error('no build');
      const id = app.ids.next();
      const own = { id, buildNumber: 2, objectKey: `builds/${id}/package.apk`, pendingUploadId: app.ids.next() };
      app.db
        .insert(builds)
        .values({ ...row, ...own, sizeBytes: 2 * GIB })
        .run();
    }
  });

  it('counts no time twice after the clock was moved back by an hour over the end of a month', async () => {
    addBuild(GIB);
    await start({ enabled: true, prices });
    clock.set(new Date(JULY + 30 * 60_000));
    await sweep();
    clock.set(new Date(JULY - 30 * 60_000));
    await sweep();
    expect(findNewestUsage(running().app, data.organization_id)?.month).toBe('2030-07');
    clock.set(new Date(JULY + 2 * HOUR));
    await sweep();
    expect(entries()).toEqual([
      ['usage', '2030-06 storage', 300],
      ['usage', '2030-06 seats', 90],
    ]);
    const july = readMonth(running().app, data.organization_id, '2030-07', JULY + 2 * HOUR);
    expect(july.rows.map(({ seatMs }) => seatMs)).toEqual([2 * HOUR]);
  });

  it('bills all organizations but one that is broken, and fails', async () => {
    const ids = addOrganizations(45);
    await start({ enabled: true, prices });
    const { db } = running().app;
    db.$client.exec('UPDATE usage_months SET level_seats = 1');
    const broken = ids[3] ?? '';
    db.$client.exec(
      `CREATE TRIGGER broken BEFORE INSERT ON credit_entries WHEN new.organization_id = '${broken}'
        BEGIN SELECT raise(ABORT, 'broken'); END`,
    );
    clock.set(new Date(JULY));
    await expect(sweep()).rejects.toThrow('broken');
    const billed = db.select().from(creditEntries).all();
    expect(new Set(billed.map(({ organizationId }) => organizationId)).size).toBe(45);
    expect(billed.filter(({ organizationId }) => organizationId === broken)).toEqual([]);
    db.$client.exec('DROP TRIGGER broken');
    await sweep();
    expect(db.select().from(creditEntries).all()).toHaveLength(46);
  });

  it('records the ends of all trials but one that is broken, and fails', async () => {
    const ids = addOrganizations(45);
    await start({ enabled: true, trial_days: 3, prices });
    const { db } = running().app;
    const broken = ids[3] ?? '';
    db.$client.exec(
      `CREATE TRIGGER broken BEFORE UPDATE ON billing_accounts WHEN old.organization_id = '${broken}'
        BEGIN SELECT raise(ABORT, 'broken'); END`,
    );
    clock.set(new Date(JUNE + 4 * DAY));
    await expect(sweep()).rejects.toThrow('broken');
    const unlocked = db
      .select()
      .from(organizations)
      .all()
      .filter(({ lockReason }) => lockReason !== 'grace');
    expect(unlocked.map(({ id }) => id)).toEqual([broken]);
    db.$client.exec('DROP TRIGGER broken');
  });

  it('charges nothing below a cent, and each meter rounded down', async () => {
    addBuild(Math.floor(GIB / 301));
    await start({ enabled: true, prices: { ...prices, seat_month_cents: 1 } });
    clock.set(new Date(JULY));
    await sweep();
    expect(entries()).toEqual([['usage', '2030-06 seats', 1]]);
  });
});

describe('an organization', () => {
  let scenario: MeteredScenario;
  let base: string;

  beforeAll(async () => {
    scenario = await startMetered({ starter_credit_cents: 5000, trial_days: 3650, prices: { seat_month_cents: 3000 } });
    base = `/api/v1/organizations/${scenario.organization}`;
    scenario.fixture.clock.set(new Date(Math.max(JUNE, scenario.fixture.clock.now().getTime())));
  });
  afterAll(async () => {
    await scenario[Symbol.asyncDispose]();
  });

  it('is metered by its members, not by invitations and testers', async () => {
    const { fixture, organization } = scenario;
    const level = () => findNewestUsage(fixture.app, organization)?.levelSeats;
    expect(level()).toBe(1);
    const invited = await (await scenario.current()).post(`${base}/invites`, {
      email: 'sam@example.com',
      role: 'member',
    });
    expect(invited.status, invited.text).toBe(201);
    expect(level()).toBe(1);
    const person = await addPerson(fixture, { organizations: { [organization]: 'manager' } });
    const other = await addPerson(fixture, { organizations: { [organization]: 'manager' } });
    const left = await (await scenario.current()).delete(`${base}/members/${other.id}`);
    expect(left.status, left.text).toBe(204);
    expect(level()).toBe(2);
    expect((await (await scenario.current()).delete(`${base}/members/${person.id}`)).status).toBe(204);
    expect(level()).toBe(1);
    expect(countLevels(fixture.app, organization).seats).toBe(1);
  });

  it('sees each month of its usage, from the first to the present one', async () => {
    const { body } = await (await scenario.current()).get<Json>(`${base}/usage`);
    const month = scenario.fixture.clock.now().toISOString().slice(0, 7);
    expect(body).toEqual({
      organization_id: scenario.organization,
      enabled: true,
      month,
      begins_at: `${month}-01T00:00:00.000Z`,
      ends_at: expect.stringMatching(/-01T00:00:00.000Z$/),
      is_closed: false,
      currency: 'USD',
      storage: {
        gib_months: expect.stringMatching(/^\d+\.\d{6}$/),
        byte_hours: expect.stringMatching(/^\d+$/),
        stored_bytes: 0,
        cost_cents: 0,
      },
      downloads: { gib: '0.000000', bytes: 0, cost_cents: 0 },
      seats: { seat_months: expect.stringMatching(/^\d+\.\d{6}$/), seats: 1, cost_cents: expect.any(Number) },
      total_cents: expect.any(Number),
    });
    const client = await scenario.current();
    expectInvalid(await client.get(`${base}/usage`, { month: '2001-01' }), 'query.month: greater_than_equal');
    expectInvalid(await client.get(`${base}/usage`, { month: '2999-01' }), 'query.month: less_than_equal');
    for (const wrong of ['2030-13', '2030-1', 'now', '']) {
      expect((await client.get(`${base}/usage`, { month: wrong })).status).toBe(400);
    }
  });

  it('sees what it was charged as the total of a closed month', async () => {
    const { fixture } = scenario;
    const month = fixture.clock.now().toISOString().slice(0, 7);
    fixture.app.db.$client.exec(`
      UPDATE price_lists SET storage_gib_month_cents = 1, download_gib_cents = 1, seat_month_cents = 0;
      UPDATE usage_months SET stored_byte_ms = '${BigInt(GIB * 1.75) * BigInt(30 * DAY)}', downloaded_bytes = ${GIB * 1.75}`);
    fixture.clock.advance(31 * DAY);
    await fixture.sweep('billing');
    const { body } = await (await scenario.current()).get<Json>(`${base}/usage`, { month });
    expect(body).toMatchObject({
      is_closed: true,
      storage: { cost_cents: 1 },
      downloads: { cost_cents: 1 },
      total_cents: 2,
    });
    const charged = fixture.app.db.$client.prepare('SELECT sum(amount_cents) FROM credit_entries WHERE note LIKE ?');
    expect(charged.pluck().get(`${month} %`)).toBe(2);
  });
});
