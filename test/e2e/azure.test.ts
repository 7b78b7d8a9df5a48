// Packages in an organization's own container, from the browser: requested and approved, then uploads go to the container directly,
// and installs and updates lead there.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloudOf } from '../../src/byosa/access.ts';
import { approveRequest } from '../../src/byosa/operator.ts';
import { systemContext } from '../../src/core/transact.ts';
import { type AzureFront, startAzureFront } from '../support/azure-front.ts';
import { type Azurite, startAzurite, whyNoAzurite } from '../support/azurite.ts';
import { openScenario, openSignedIn, type Scenario } from './dashboard/scenario.ts';
import { walkPackage } from './package-walk.ts';

const missing = whyNoAzurite();
if (missing !== undefined) process.stdout.write(`uploads to a container in the browser skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)('an organization whose packages are in its own container', () => {
  let azurite: Azurite;
  let front: AzureFront;
  let scenario: Scenario;
  let container: string;
  let folder: string;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'taxiway-azure-'));
    azurite = await startAzurite();
    front = await startAzureFront(azurite);
    container = await front.createContainer();
    const byosa = { azure_authority_host: front.url, azure_endpoint_suffix: front.url };
    scenario = await openScenario({ config: { byosa } });
  });
  afterAll(async () => {
    await scenario?.close();
    await front?.stop();
    await azurite?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('requests it, learns what browsers lack, and uploads, installs and updates from it', async () => {
    const { fixture, client, browser } = scenario;
    const path = `/api/v1/organizations/${fixture.organization_id}`;
    const { federation } = (await client.get<{ federation: { issuer: string; subject: string } }>(`${path}/storage`))
      .body;
    front.state.trust = { issuer: federation.issuer, subject: federation.subject };
    front.state.issuerKeys = async () => cloudOf(fixture.app).federation.publicKeys();

    const context = await browser.newContext();
    const page = await context.newPage();
    await openSignedIn(scenario, { page, context }, '/settings/storage');
    await page.getByRole('button', { name: 'Request own container' }).click();
    await page.getByLabel('Tenant ID').fill(front.tenantId);
    await page.getByLabel('Client ID').fill(front.clientId);
    await page.getByLabel('Storage account').fill(front.account);
    await page.getByLabel('Container', { exact: true }).fill(container);
    await page.getByRole('button', { name: 'Send request' }).click();
    await page.getByText('Checking').first().waitFor();
    await fixture.drain();
    await page.getByText('Waiting for approval').waitFor();
    const rule = page.getByText(`--origins '${scenario.origin}'`);
    await rule.waitFor();
    // Only the script for uploads reaches containers, not the page.
    const refused = page.evaluate(`new Promise((done) => {
      addEventListener('securitypolicyviolation', ({ effectiveDirective }) => done(effectiveDirective));
      fetch('${front.url}/').then(() => done('sent'), () => undefined);
    })`);
    expect(await refused).toBe('connect-src');
    await context.close();
    const request = (await client.get<{ identifier: string }>(`${path}/byosa/onboarding-request`)).body;
    approveRequest(systemContext(fixture.app), request.identifier);

    await walkPackage(scenario, {
      folder,
      storage: new URL(front.url).origin,
      allowUploads: () => front.allowUploads(scenario.origin),
    });
    await fixture.drain();
    const names = await front.listNames(container);
    expect(names).toEqual([
      expect.stringMatching(new RegExp(`^${fixture.organization_id}/builds/[^/]+/package\\.apk$`)),
    ]);
    await client.post(`${path}/byosa/diagnostics`);
    const after = await client.get(`${path}/byosa/onboarding-request`);
    expect(after.body).toMatchObject({ status: 'approved', browser_uploads: 'allowed' });
  });
});
