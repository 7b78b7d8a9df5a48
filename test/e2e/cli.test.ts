// The page with the clients of the server, as a person uses it: from the page to an uploaded build.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { openRunner, type Runner } from '../cli/shells.ts';
import { buildApk } from '../support/fixtures.ts';
import { expectAccessible } from './accessibility.ts';
import { closeContexts, openBrowser, visit } from './browser.ts';

let browser: Browser;
let fixture: Fixture;
let runner: Runner;
beforeAll(async () => {
  runner = openRunner();
  browser = await openBrowser();
  mkdirSync(join(runner.folder, 'executables'));
  writeFileSync(join(runner.folder, 'executables/taxiway-0.2.0-linux-x64'), 'a program');
  fixture = await startFixture({ config: { cli: { executables: join(runner.folder, 'executables') } } });
});
afterAll(async () => {
  await closeContexts(browser);
  await fixture?.stop();
  runner?.[Symbol.dispose]();
});

it('the line on the page uploads a package, and the files can be downloaded', async () => {
  await visit(browser, `${fixture.config.server.base_url}/cli`, { device: 'desktop' }, async ({ page }) => {
    await page.getByRole('heading', { name: 'Upload from a terminal' }).waitFor();
    await expectAccessible(page);
    const line = (await page.getByText('&& sh upload.sh').textContent()) ?? '';
    writeFileSync(join(runner.folder, 'app.apk'), buildApk());
    const env = { TAXIWAY_TOKEN: fixture.project_access_token };
    const { code, stderr } = await runner.run(['sh', '-c', line.replace(' --channel beta', '')], env);
    expect(code, stderr).toBe(0);
    for (const name of ['taxiway.cjs', 'taxiway-0.2.0-linux-x64']) {
      const started = page.waitForEvent('download');
      await page.getByRole('link', { name: `Download ${name}` }).click();
      expect((await started).suggestedFilename()).toBe(name);
    }
  });
});
