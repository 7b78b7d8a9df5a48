// A clock that is wrong for a while: nobody pays for time that didn't pass, and no trial ends early.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findNewestUsage } from '../../src/billing/meters.ts';
import { readPresentUse } from '../../src/billing/usage.ts';
import { billingAccounts, creditEntries, usageMonths } from '../../src/data/tables/tables.ts';
import { DAY, HOUR } from '../../src/lib/clock.ts';
import { addPerson } from '../support/people.ts';
import { type MeteredScenario, startMetered } from './metered.ts';

let scenario: MeteredScenario;
beforeEach(async () => {
  const prices = { storage_gib_month_cents: 0, download_gib_cents: 0, seat_month_cents: 3000 };
  scenario = await startMetered({ starter_credit_cents: 5000, trial_days: 300, prices });
});
afterEach(() => scenario[Symbol.asyncDispose]());

const entries = () =>
  scenario.fixture.app.db
    .select()
    .from(creditEntries)
    .all()
    .map(({ kind, note }) => [kind, note]);

it('counts no time by which the clock jumped', async () => {
  const { fixture, organization } = scenario;
  const { app, clock } = fixture;
  clock.advance(3 * DAY);
  await fixture.sweep('billing');
  const before = [entries(), app.db.select().from(usageMonths).all().length];
  const cost = () => readPresentUse(app, organization, app.clockGuard.now()).openCost;
  const used = cost();
  const { balance_cents: balance } = await scenario.billing();

  clock.jump(400 * DAY);
  // Adds a seat, which counts the time until now.
  await addPerson(fixture, { organizations: { [organization]: 'manager' } });
  await fixture.sweep('billing');
  expect((await scenario.billing()).balance_cents).toBe(balance);
  expect([entries(), app.db.select().from(usageMonths).all().length]).toEqual(before);
  expect(cost()).toBe(used);

  clock.jump(-400 * DAY);
  await fixture.sweep('billing');
  expect([entries(), app.db.select().from(usageMonths).all().length]).toEqual(before);
  clock.advance(3 * HOUR);
  await fixture.sweep('billing');
  expect(findNewestUsage(app, organization)?.levelSince).toBe(clock.now().getTime());
});

it('forfeits no starter credit before the clock is trusted', async () => {
  const { fixture } = scenario;
  fixture.clock.jump(400 * DAY);
  await fixture.sweep('billing');
  expect(entries()).toEqual([['topup', 'Starter credit']]);
  fixture.clock.jump(-400 * DAY);
  expect(await scenario.billing()).toMatchObject({ lock_reason: null });
  const [account] = fixture.app.db.select().from(billingAccounts).all();
  expect(account).toMatchObject({ lockedAt: null, balanceCents: 5000 });
});

it('believes the clock after a day', async () => {
  const { fixture } = scenario;
  fixture.clock.jump(400 * DAY);
  await fixture.sweep('billing');
  for (let hour = 0; hour < 25; hour += 1) {
    fixture.clock.advance(HOUR);
    await fixture.sweep('billing');
  }
  expect(entries().filter(([kind]) => kind === 'usage').length).toBeGreaterThan(11);
  expect(await scenario.billing()).toMatchObject({ lock_reason: 'grace' });
});
