// Clock jumps: age-based deletion pauses for a day, the operator is informed, and ids stay in order.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkClock } from '../../src/checks/database.ts';
import { type Clock, createMovableClock, DAY, HOUR, MINUTE } from '../../src/lib/clock.ts';
import { createClockGuard } from '../../src/runtime/clock-guard.ts';
import { clockForIds } from '../../src/runtime/id-clock.ts';
import { createIds } from '../../src/runtime/ids.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { api, createAccount, expectRefusal, signIn } from '../support/harness.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
});
afterEach(() => fixture.stop());

const TWELVE_YEARS = 12 * 365 * DAY;
const silent = { warn() {} };
const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
const lastRun = (name: string) =>
  fixture.app.db.$client.prepare('SELECT removed, error FROM sweep_runs WHERE name = ?').get(name);

async function dueAccount(): Promise<string> {
  const { developer_id: id } = await createAccount(fixture);
  fixture.app.db.$client
    .prepare('UPDATE developers SET locked_at = 1, deletion_due_at = ? WHERE id = ?')
    .run(fixture.clock.now().getTime() + 14 * DAY, id);
  return id;
}
const isThere = (id: string) =>
  fixture.app.db.$client.prepare('SELECT 1 FROM developers WHERE id = ?').get(id) !== undefined;

describe('a clock that jumps', () => {
  it.each([
    ['forward', TWELVE_YEARS],
    ['back', -2 * HOUR],
  ])('%s pauses age-based deletion for a day of running time', async (_way, jump) => {
    const id = await dueAccount();
    if (jump < 0) fixture.clock.advance(15 * DAY);
    fixture.clock.jump(jump);
    for (let hour = 0; hour < 24; hour += 1) {
      expect(await fixture.sweep('account-deletions')).toBe(0);
      fixture.clock.advance(HOUR);
    }
    expect(isThere(id)).toBe(true);
    expect(lastRun('account-deletions')).toEqual({
      removed: 0,
      error: expect.stringMatching(
        /^not run: the clock jumped from \S+ to \S+; nothing is deleted by age for another \d+ h/,
      ),
    });
    fixture.clock.advance(MINUTE);
    expect(await fixture.sweep('account-deletions')).toBe(1);
    expect(isThere(id)).toBe(false);
  });

  it('pauses for another day when it is corrected', async () => {
    fixture.clock.jump(TWELVE_YEARS);
    expect(await fixture.sweep('build-retention')).toBe(0);
    fixture.clock.advance(20 * HOUR);
    fixture.clock.jump(-TWELVE_YEARS);
    await fixture.sweep('build-retention');
    fixture.clock.advance(23 * HOUR);
    await fixture.sweep('build-retention');
    expect(lastRun('build-retention')).toMatchObject({ error: expect.stringMatching(/another 1 h/) });
    fixture.clock.advance(HOUR + MINUTE);
    await fixture.sweep('build-retention');
    expect(lastRun('build-retention')).toEqual({ removed: 0, error: null });
  });

  it('is trusted immediately within an hour, and when time passes', async () => {
    fixture.clock.jump(59 * MINUTE);
    await fixture.sweep('sessions');
    fixture.clock.advance(400 * DAY);
    await fixture.sweep('sessions');
    expect(lastRun('sessions')).toMatchObject({ error: null });
  });

  it('is reported to the operator, on the system page and by the check', async () => {
    fixture.app.db.$client.prepare('UPDATE developers SET is_operator = 1').run();
    const from = fixture.clock.now().getTime();
    fixture.clock.jump(TWELVE_YEARS);
    const { client } = await signIn(fixture);
    const system = await client.get<{ clock_hold: { jumped_from: string; left_ms: number } }>('/api/v1/system');
    const held = system.body.clock_hold;
    expect(Math.abs(Date.parse(held.jumped_from) - from)).toBeLessThan(MINUTE);
    expect(held.left_ms).toBeGreaterThan(23 * HOUR);
    const findings = await client.get<{ findings: unknown[] }>('/api/v1/system/findings');
    const finding = { name: 'clock', status: 'warn', detail: expect.stringContaining('nothing is deleted by age') };
    expect(findings.body.findings).toContainEqual(expect.objectContaining({ ...finding, code: 'clock_jumped' }));
    expect(checkClock(fixture.clock.now(), fixture.app.db.$client)).toMatchObject({ name: 'clock', status: 'warn' });
    const calm = await startFixture();
    expect((await api(calm).get('/api/v1/system')).body).not.toHaveProperty('clock_hold');
    await calm.stop();
  });
});

describe('emails after a clock that was ahead is corrected', () => {
  const mailsTo = (address: string) => fixture.mail.messages.filter(({ to }) => to === address).length;
  const ahead = 30 * DAY;

  it('to a person who forgot the password are sent again', async () => {
    const { email } = await createAccount(fixture);
    const request = async () => {
      const answer = await api(fixture, null).post('/api/v1/login/password_reset', { email });
      expect(answer.status).toBe(202);
      await fixture.drain();
      return mailsTo(email);
    };
    fixture.clock.jump(ahead);
    expect(await request()).toBe(1);
    fixture.clock.jump(-ahead);
    expect(await request()).toBe(2);
    fixture.clock.advance(5 * MINUTE - 1);
    expect(await request()).toBe(2);
    fixture.clock.advance(1);
    expect(await request()).toBe(3);
  });

  it.each([
    ['an invitation', 'invites', { role: 'member' }, 'resend', 200],
    ['access to apps', 'testers', {}, 'notify', 200],
  ] as const)('about %s can be sent again', async (_what, list, body, action, status) => {
    const email = `${list}@example.test`;
    const path = `/api/v1/organizations/${fixture.organization_id}/${list}`;
    fixture.clock.jump(ahead);
    const { client } = await signIn(fixture);
    const { identifier } = (await client.post<{ identifier: string }>(path, { email, ...body })).body;
    fixture.clock.jump(-ahead);
    const again = await signIn(fixture);
    expect((await again.client.post(`${path}/${identifier}/${action}`)).status).toBe(status);
    expectRefusal(await again.client.post(`${path}/${identifier}/${action}`), 429, 'rate_limit_exceeded');
    await fixture.drain();
    expect(mailsTo(email)).toBe(2);
  });
});

describe('ids', () => {
  it('do not follow a wrong clock, and stay in order when it is corrected', () => {
    const ids = [fixture.app.ids.next()];
    const right = fixture.clock.now().getTime();
    fixture.clock.jump(TWELVE_YEARS);
    ids.push(fixture.app.ids.next());
    fixture.clock.advance(HOUR);
    ids.push(fixture.app.ids.next());
    fixture.clock.jump(-TWELVE_YEARS);
    ids.push(fixture.app.ids.next());
    fixture.clock.jump(-40 * 365 * DAY);
    ids.push(fixture.app.ids.next());
    expect(ids).toEqual(ids.toSorted());
    for (const id of ids) expect(Math.abs(timeOf(id) - right)).toBeLessThan(HOUR + MINUTE);
  });

  it('follow the clock when it is unchanged for a day', () => {
    fixture.clock.jump(30 * DAY);
    const before = timeOf(fixture.app.ids.next());
    fixture.clock.advance(DAY + MINUTE);
    fixture.app.clockGuard.observe();
    expect(timeOf(fixture.app.ids.next()) - before).toBeGreaterThan(30 * DAY);
  });
});

describe('after a restart', () => {
  /** The system's time on another start of the machine. */
  const onBoot = (bootId: string, offset: number): Clock => ({
    now: () => new Date(Date.now() + offset),
    time: () => Date.now() + offset,
    elapsed: { quick: () => performance.now(), sinceBoot: () => ({ bootId, ms: 1_000 }) },
  });
  const guardOn = (clock: Clock) => createClockGuard({ db: fixture.app.db, clock, log: silent });

  it.each([
    ['years ahead', TWELVE_YEARS, true, false],
    ['behind', -2 * HOUR, true, false],
    ['off for a month', 30 * DAY, true, true],
    ['off for a moment', 10 * MINUTE, false, true],
  ])('of the machine, deletion pauses or continues with a clock that is %s', (_name, offset, isHeld, isFollowed) => {
    const clock = onBoot('another', offset);
    const guard = guardOn(clock);
    const hold = guard.observe();
    expect(hold !== undefined).toBe(isHeld);
    if (hold !== undefined) expect(hold.mayBeOff).toBe(isFollowed);
    const ids = createIds(clockForIds(fixture.app.db, guard));
    const distance = Math.abs(timeOf(ids.next()) - clock.now().getTime());
    if (isFollowed) expect(distance).toBeLessThan(MINUTE);
    else expect(Math.abs(timeOf(ids.next()) - Date.now())).toBeLessThan(5 * MINUTE);
  });

  it('ids follow the newest download, although a small correction of the clock is accepted', () => {
    const later = timeOf(fixture.app.ids.next()) + 10 * MINUTE;
    const digits = later.toString(16).padStart(12, '0');
    const newest = `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`;
    fixture.app.db.$client
      .prepare(
        `INSERT INTO downloads (id, organization_id, project_id, build_id, created_at)
          VALUES (?, 'organization', 'project', 'build', ?)`,
      )
      .run(newest, later);
    const guard = guardOn(onBoot('another', 0));
    expect(guard.observe()).toBeUndefined();
    expect(createIds(clockForIds(fixture.app.db, guard)).next() > newest).toBe(true);
  });

  it('of a machine that is off every night, age-based deletion resumes each day', () => {
    const start = Date.now();
    let wall = 0;
    const startOfDay = (day: number) => {
      const bootedAt = wall;
      return guardOn({
        now: () => new Date(start + wall),
        time: () => start + wall,
        elapsed: { quick: () => wall, sinceBoot: () => ({ bootId: `day ${day}`, ms: wall - bootedAt }) },
      });
    };
    for (let day = 1; day <= 5; day += 1) {
      wall += 16 * HOUR;
      const guard = startOfDay(day);
      expect(guard.observe()).toMatchObject({ mayBeOff: true, leftMs: HOUR });
      wall += 8 * HOUR;
      expect(guard.observe()).toBeUndefined();
    }
  });

  it('soon after another jump, the rest of its day still counts', () => {
    const clock = onBoot('another', TWELVE_YEARS);
    expect(guardOn(clock).observe()).toMatchObject({ leftMs: DAY });
    expect(guardOn(onBoot('a third', TWELVE_YEARS + 8 * HOUR)).observe()).toMatchObject({ leftMs: DAY });
  });

  it('of the server only, it compares with the time since the machine started', () => {
    fixture.app.clockGuard.observe();
    const wrong = createMovableClock();
    wrong.jump(TWELVE_YEARS);
    expect(guardOn(wrong).observe()).toMatchObject({ leftMs: expect.any(Number) });
    const passed = createMovableClock();
    passed.jump(0);
    // Set right again: the hold starts over, and the time is believed.
    expect(guardOn(passed).now()).toBeLessThan(Date.now() + MINUTE);
  });
});
