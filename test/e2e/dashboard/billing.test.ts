// An organization in its trial that has used up its credit, adds some at the payment provider, and uploads again.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { builds } from '../../../src/data/tables/tables.ts';
import { DAY } from '../../../src/lib/clock.ts';
import { type PaddleDouble, startPaddle } from '../../support/paddle.ts';
import { buildSampleApk } from '../sample-app.ts';
import { openScenario, openSignedIn, type Scenario } from './scenario.ts';
import { openVisitor } from './visitor.ts';

let provider: PaddleDouble;
let scenario: Scenario;
let folder: string;

beforeAll(async () => {
  provider = await startPaddle(() => scenario?.fixture.clock.now() ?? new Date());
  scenario = await openScenario({
    config: {
      billing: {
        enabled: true,
        provider: 'paddle',
        trial_days: 30,
        starter_credit_cents: 100,
        prices: { storage_gib_month_cents: 100, seat_month_cents: 500 },
        paddle: provider.settings,
      },
    },
  });
  provider.webhookUrl = scenario.fixture.url;
  folder = mkdtempSync(join(tmpdir(), 'taxiway-billing-'));
});
afterAll(async () => {
  await scenario?.close();
  await provider?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function makePackage(build: string): string {
  const path = join(folder, `harbour-${build}.apk`);
  writeFileSync(path, buildSampleApk({ build }));
  return path;
}

describe('an organization without credit', () => {
  it('uploads again after an admin has added credit', async () => {
    const visitor = await openVisitor(scenario.browser, scenario.origin);
    const { page, actions, show, expectRefusals } = visitor;
    const project = `/projects/${scenario.fixture.android_project_id}`;
    const tray = page.getByRole('region', { name: 'Uploads' });
    expectRefusals(401, 402);
    scenario.fixture.clock.advance(10 * DAY);
    await openSignedIn(scenario, visitor, project);
    await page.getByRole('heading', { name: 'Channels' }).waitFor();
    await actions.drop(makePackage('501'));
    await tray.getByText('Not enough credit').first().waitFor();

    await actions.open(`${scenario.origin}/billing`);
    await page.getByText(/^The trial runs until/).waitFor();
    await show('billing');
    await actions.fill(page.getByLabel('Amount (USD)'), '25');
    await actions.click('Add credit');
    await page.getByRole('button', { name: 'Pay' }).click();
    await page.getByRole('heading', { name: 'completed' }).waitFor();

    await actions.open(`${scenario.origin}/billing`);
    const ledger = page.getByRole('table', { name: 'Credits and refunds' });
    await ledger.getByText('$25.00').waitFor();
    await actions.open(`${scenario.origin}${project}`);
    await page.getByRole('heading', { name: 'Channels' }).waitFor();
    await actions.drop(makePackage('502'));
    const uploaded = () => scenario.fixture.app.db.select({ number: builds.buildNumber }).from(builds).all();
    await expect.poll(uploaded, { timeout: 10_000 }).toEqual([{ number: 502 }]);
    expect(provider.transactions().map(({ status }) => status)).toEqual(['completed']);
  });
});
