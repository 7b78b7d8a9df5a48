// The use of each day, which adds up to the month, and the largest builds.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addDownloadedBytes } from '../../src/billing/meters.ts';
import { systemContext } from '../../src/core/transact.ts';
import { usageDays } from '../../src/data/tables/tables.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import { uploadAnswer } from '../builds/scenario.ts';
import { buildApk } from '../support/fixtures.ts';
import { expectInvalid, expectRefusal, type Json } from '../support/harness.ts';
import { addPerson } from '../support/people.ts';
import { type MeteredScenario, startMetered } from './metered.ts';

let scenario: MeteredScenario;
beforeEach(async () => {
  // Longer than the tests take from any day of the year on.
  scenario = await startMetered({ starter_credit_cents: 1_000_000, trial_days: 400 });
});
afterEach(() => scenario?.[Symbol.asyncDispose]());

interface Day extends Json {
  day: string;
  stored_byte_hours: string;
  downloaded_bytes: number;
  storage_cents: string;
  downloads_cents: string;
}
const bytes = buildApk();
const readDays = async (month = '') =>
  (await scenario.billing(`usage/days${month === '' ? '' : `?month=${month}`}`)) as Json & {
    month: string;
    days: Day[];
  };
const download = (count: number) =>
  systemContext(scenario.fixture.app).transact((tx) => addDownloadedBytes(tx, scenario.organization, count), {
    bookkeeping: true,
  });
/** Moves the clock to the beginning of an hour of the next month. */
function moveTo(day: number, hour = 0): void {
  const { clock } = scenario.fixture;
  const now = clock.now();
  const target = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, day, hour);
  clock.advance(target - now.getTime());
}

describe('GET /organizations/{id}/usage/days', () => {
  it('has the use and cost of each day, also of today', async () => {
    moveTo(1);
    await uploadAnswer(scenario.ci, scenario.android, bytes);
    scenario.fixture.clock.advance(DAY + 6 * HOUR);
    download(1024 * 1024);
    scenario.fixture.clock.advance(6 * HOUR);
    const { days, month } = await readDays();
    expect(days).toMatchObject([
      {
        day: `${month}-01`,
        stored_byte_hours: String(bytes.length * 24),
        downloaded_bytes: 0,
        downloads_cents: '0.000000',
      },
      {
        day: `${month}-02`,
        stored_byte_hours: String(bytes.length * 12),
        downloaded_bytes: 1024 * 1024,
        downloads_cents: '1.000000',
        seats_cents: '0.000000',
      },
    ]);
    expect(Number(days[0]?.storage_cents)).toBeCloseTo(2 * Number(days[1]?.storage_cents), 4);
  });

  it('adds up to the month for a server that slept over two month ends', async () => {
    moveTo(20);
    await uploadAnswer(scenario.ci, scenario.android, bytes);
    scenario.fixture.clock.advance(62 * DAY);
    download(7);
    for (const offset of [0, 1, 2]) {
      const now = scenario.fixture.clock.now();
      const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - offset, 1)).toISOString().slice(0, 7);
      const { days } = await readDays(month);
      const usage = (await scenario.billing(`usage?month=${month}`)) as Json & {
        storage: { byte_hours: string };
        downloads: { bytes: number };
      };
      const hours = days.reduce((sum, day) => sum + Number(day.stored_byte_hours), 0);
      expect(Math.abs(hours - Number(usage.storage.byte_hours))).toBeLessThanOrEqual(days.length);
      expect(days.reduce((sum, day) => sum + day.downloaded_bytes, 0)).toBe(usage.downloads.bytes);
      expect(new Set(days.map(({ day }) => day)).size).toBe(days.length);
    }
  });

  it('counts no time twice after the clock moved back by an hour', async () => {
    moveTo(3, 5);
    await uploadAnswer(scenario.ci, scenario.android, bytes);
    scenario.fixture.clock.advance(2 * HOUR);
    download(1);
    scenario.fixture.clock.advance(-HOUR);
    download(1);
    scenario.fixture.clock.advance(2 * HOUR);
    const { days } = await readDays();
    expect(days.at(-1)).toMatchObject({ stored_byte_hours: String(bytes.length * 3), downloaded_bytes: 2 });
  });

  it('is rejected for other months, and forgotten after 400 days', async () => {
    await uploadAnswer(scenario.ci, scenario.android, bytes);
    const path = `/api/v1/organizations/${scenario.organization}/usage/days`;
    expectInvalid(await scenario.admin.get(path, { month: '2001-01' }), 'query.month: greater_than_equal');
    expectInvalid(await scenario.admin.get(path, { month: '2999-01' }), 'query.month: less_than_equal');
    expectInvalid(await scenario.admin.get(path, { month: '2026-13' }), 'query.month: string_pattern_mismatch');
    scenario.fixture.clock.advance(500 * DAY);
    await scenario.fixture.sweep('billing');
    const oldest =
      scenario.fixture.app.db
        .select()
        .from(usageDays)
        .all()
        .map(({ day }) => day)
        .toSorted()[0] ?? '';
    const now = scenario.fixture.clock.now().getTime();
    expect(oldest >= new Date(now - 401 * DAY).toISOString().slice(0, 10)).toBe(true);
    const { fixture } = scenario;
    const member = await addPerson(fixture, { organizations: { [scenario.organization]: 'manager' } });
    expectRefusal(await member.client.get(path), 403, 'insufficient_role');
  });
});

describe('GET /organizations/{id}/usage/largest-builds', () => {
  it('lists the largest builds first', async () => {
    const small = await uploadAnswer(scenario.ci, scenario.android, bytes);
    const big = await uploadAnswer(
      scenario.ci,
      scenario.android,
      buildApk({ parts: [{ name: 'assets/data', data: Buffer.alloc(20_000, 7) }] }),
    );
    await scenario.admin.post(
      '/api/v1/releases',
      { build_id: small.identifier },
      { ...scenario.android, channel_id: scenario.fixture.channel_id },
    );
    const { builds } = (await scenario.billing('usage/largest-builds')) as { builds: Json[] };
    expect(builds).toMatchObject([
      { build_id: big.identifier, project_id: scenario.android.project_id, is_released: false },
      { build_id: small.identifier, size_bytes: bytes.length, is_released: true },
    ]);
  });
});
