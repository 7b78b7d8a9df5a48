// Links that lead to a bucket: the whole object is counted at the first use, once, also by servers that restart.
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { billedSubject, downloadMeterOf } from '../../src/billing/downloads.ts';
import { findNewestUsage } from '../../src/billing/meters.ts';
import type { App } from '../../src/core/context.ts';
import { systemContext } from '../../src/core/transact.ts';
import { countedLinks } from '../../src/data/tables/tables.ts';
import { HOUR } from '../../src/lib/clock.ts';
import { type MeteredScenario, startMetered } from './metered.ts';

let scenario: MeteredScenario;
beforeEach(async () => {
  scenario = await startMetered();
});
afterEach(() => scenario?.[Symbol.asyncDispose]());

const downloaded = () => findNewestUsage(scenario.fixture.app, scenario.organization)?.downloadedBytes;

/** The meter of a server that has just started. */
async function restart(): Promise<ReturnType<typeof downloadMeterOf>> {
  const { app } = scenario.fixture;
  const meter = await downloadMeterOf.open(app as App);
  downloadMeterOf.start?.(meter, () => systemContext(app));
  return meter;
}

function newSubject(reservationId: string, sizeBytes: number, organizationId = scenario.organization): string {
  const expiresAt = scenario.fixture.clock.now().getTime() + HOUR;
  return billedSubject('download', { organizationId, reservationId, sizeBytes, expiresAt });
}

describe('downloads of several organizations', () => {
  it('are counted although one of them is broken, which is tried again', async () => {
    const { app } = scenario.fixture;
    const { text: broken } = await (await scenario.current()).post('/api/v1/organizations', { name: 'Harbor' });
    const of = (id: string) => findNewestUsage(app, id)?.downloadedBytes;
    app.db.$client.exec(
      `CREATE TRIGGER broken BEFORE UPDATE ON usage_months WHEN old.organization_id = '${broken}'
        BEGIN SELECT raise(ABORT, 'broken'); END`,
    );
    const meter = await restart();
    meter.note(newSubject(app.ids.next(), 9, broken), 4);
    meter.note(newSubject(app.ids.next(), 9), 5);
    meter.flush();
    expect([of(scenario.organization), of(broken)]).toEqual([5, 0]);
    app.db.$client.exec('DROP TRIGGER broken');
    meter.flush();
    expect([of(scenario.organization), of(broken)]).toEqual([5, 4]);
  });
});

describe('a link to a bucket', () => {
  it('is counted once, also by the server after a restart', async () => {
    const subject = (reservationId: string) => newSubject(reservationId, 500);
    const [one, other] = [scenario.fixture.app.ids.next(), scenario.fixture.app.ids.next()];
    const meter = await restart();
    meter.noteRedirect(subject(one));
    meter.noteRedirect(subject(one));
    meter.flush();
    expect(downloaded()).toBe(500);
    const next = await restart();
    next.noteRedirect(subject(one));
    next.noteRedirect(subject(other));
    next.flush();
    expect(downloaded()).toBe(1_000);
  });

  it('is forgotten when it no longer works', async () => {
    const { app, clock } = scenario.fixture;
    const reservationId = app.ids.next();
    const meter = await restart();
    meter.noteRedirect(newSubject(reservationId, 1));
    meter.flush();
    const known = () => app.db.select().from(countedLinks).where(eq(countedLinks.reservationId, reservationId)).all();
    expect(known()).toHaveLength(1);
    clock.advance(HOUR);
    await scenario.fixture.sweep('reservations');
    expect(known()).toHaveLength(1);
    clock.advance(HOUR);
    await scenario.fixture.sweep('reservations');
    expect(known()).toEqual([]);
  });

  it('loses at most the bytes of the last second when the server is killed', async () => {
    const reservationId = scenario.fixture.app.ids.next();
    const meter = await restart();
    const subject = newSubject(reservationId, 9);
    meter.note(subject, 5);
    expect(downloaded()).toBe(0);
    // Written a second after the first byte, also while more are sent.
    await expect.poll(downloaded, { timeout: 30_000 }).toBe(5);
  });
});
