// The whole way of a package in an organization's container: request, approval, upload, install page, manifest and download.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloudOf } from '../../../src/byosa/access.ts';
import { approveRequest } from '../../../src/byosa/operator.ts';
import { systemContext } from '../../../src/core/transact.ts';
import { type InstallScenario, startInstallScenario } from '../../install/scenario.ts';
import { type AzureFront, startAzureFront } from '../../support/azure-front.ts';
import { type Azurite, startAzurite, whyNoAzurite } from '../../support/azurite.ts';
import { buildApk, buildIpa, sha256 } from '../../support/fixtures.ts';

const missing = whyNoAzurite();
if (missing !== undefined) process.stdout.write(`the way through a container skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)('packages in a container', () => {
  let azurite: Azurite;
  let front: AzureFront;
  let scenario: InstallScenario;
  let container: string;

  beforeAll(async () => {
    azurite = await startAzurite();
    front = await startAzureFront(azurite);
    const byosa = { azure_authority_host: front.url, azure_endpoint_suffix: front.url };
    scenario = await startInstallScenario({ config: { byosa } });
    container = await front.createContainer();
    const { fixture, admin } = scenario;
    const path = `/api/v1/organizations/${fixture.organization_id}`;
    const { federation } = (await admin.get(`${path}/storage`)).body as {
      federation: { issuer: string; subject: string };
    };
    front.state.trust = { issuer: federation.issuer, subject: federation.subject };
    front.state.issuerKeys = async () => cloudOf(fixture.app).federation.publicKeys();
    const request = {
      tenant_id: front.tenantId,
      client_id: front.clientId,
      storage_account: front.account,
      container,
      authentication: 'federation',
    };
    const asked = await admin.post(`${path}/byosa/onboarding-request`, request);
    expect(asked.status, asked.text).toBe(201);
    await fixture.drain();
    const found = await admin.get(`${path}/byosa/onboarding-request`);
    expect(found.body, found.text).toMatchObject({ status: 'awaiting_approval' });
    approveRequest(systemContext(fixture.app), String(found.body.identifier));
  });
  afterAll(async () => {
    await scenario?.fixture.stop();
    await front?.stop();
    await azurite?.stop();
  });

  it('are installed on an iPhone, without a question to the service for page and manifest', async () => {
    const { fixture, ios, follow, base } = scenario;
    const published = await scenario.publish(ios, buildIpa());
    await fixture.drain();
    expect(await front.listNames(container)).toContainEqual(
      expect.stringMatching(new RegExp(`^${fixture.organization_id}/builds/[^/]+/package\\.ipa$`)),
    );
    front.log.length = 0;
    const page = await follow(`${base}/install/channels/${published.channelId}`);
    const manifest = await follow(`${base}${published.path}/manifest.plist`);
    expect([page.status, manifest.status, front.log]).toEqual([200, 200, []]);
    const link = /<string>(https:[^<]+\/download)<\/string>/.exec(await manifest.text())?.[1] ?? '';
    for (const method of ['HEAD', 'GET']) {
      const found = await follow(link, { method });
      expect(found.status).toBe(302);
      const target = new URL(found.headers.get('location') ?? '');
      expect(target.origin).toBe(front.url);
      const answer = await fetch(target, { method });
      expect(answer.headers.get('content-length')).toBe(String(published.build.size_bytes));
      expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="[\w.-]+\.ipa"$/);
      const bytes = Buffer.from(await answer.arrayBuffer());
      if (method === 'GET') expect(sha256(bytes)).toBe(published.digest);
    }
    expect(await scenario.analytics(published.channelId)).toMatchObject({ total_downloads: 1 });
  });

  it('are installed on Android', async () => {
    const { base, android } = scenario;
    const published = await scenario.publish(android, buildApk());
    expect(await scenario.digest(`${base}${published.path}/download`)).toBe(published.digest);
  });

  it('make the page of the app show an outage, and downloads fail with 503', async () => {
    const { base, android, follow, fixture } = scenario;
    const published = await scenario.publish(android, buildApk());
    front.state.tokenFault = { status: 401, code: 'AADSTS7000222', text: 'The client secret keys are expired.' };
    front.state.role = 'none';
    fixture.clock.advance(2 * 3_600_000);
    expect((await follow(`${base}/install/channels/${published.channelId}`)).status).toBe(200);
    expect((await follow(`${base}${published.path}/download`)).status).toBe(503);
    const staff = await scenario.staff();
    const { body } = await staff.get(`/api/v1/organizations/${fixture.organization_id}/storage`);
    expect(body).toMatchObject({
      backend: 'azure',
      container: {
        container,
        unreachable_since: expect.any(String),
        unreachable_reason: expect.stringContaining('40'),
      },
    });
    front.state.tokenFault = undefined;
    front.state.role = 'contributor';
    fixture.clock.advance(31 * 60_000);
    await fixture.drain();
    expect(await scenario.digest(`${base}${published.path}/download`)).toBe(published.digest);
  });
});
