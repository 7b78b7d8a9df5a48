// docs/specification/states.md, played through the API: each row moves as it says, and stays where its condition isn't met.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BillingScenario, startBilling } from '../billing/scenario.ts';
import { tableIn } from '../specification/pages.ts';
import { startTesterScenario, type TesterScenario } from '../testers/scenario.ts';
import { accessShows } from './states/access.ts';
import { accountShows } from './states/accounts.ts';
import { billingShows, STARTER_CREDIT, TRIAL_DAYS } from './states/billing.ts';
import { releaseShows } from './states/releases.ts';
import { SIZE_LIMIT, uploadShows } from './states/uploads.ts';

const shows = { ...uploadShows, ...releaseShows, ...accessShows, ...accountShows };
const all = [...Object.entries(shows), ...Object.entries(billingShows)];

it('contains exactly the reproduced rows', () => {
  const rows = tableIn('states').map(([subject, from, trigger]) => `${subject}: ${from}, ${trigger}`);
  expect(all.map(([name]) => name)).toEqual(rows);
  for (const [, { moves, stays }] of all) {
    expect([Object.keys(moves).length > 0, Object.keys(stays).length > 0]).toEqual([true, true]);
  }
});

describe.each(Object.entries(shows))('%s', (_name, { moves, stays }) => {
  let scenario: TesterScenario;
  beforeAll(async () => {
    scenario = await startTesterScenario({ config: { limits: { build_size_bytes: SIZE_LIMIT } } });
  });
  afterAll(() => scenario?.fixture.stop());

  it.each(Object.entries(moves))('moves %s', (_title, play) => play(scenario));
  it.each(Object.entries(stays))('stays %s', (_title, play) => play(scenario));
});

describe.each(Object.entries(billingShows))('%s', (_name, { moves, stays }) => {
  let scenario: BillingScenario;
  beforeAll(async () => {
    scenario = await startBilling({ trial_days: TRIAL_DAYS, starter_credit_cents: STARTER_CREDIT });
  });
  afterAll(() => scenario?.stop());

  it.each(Object.entries(moves))('moves %s', (_title, play) => play(scenario));
  it.each(Object.entries(stays))('stays %s', (_title, play) => play(scenario));
});
