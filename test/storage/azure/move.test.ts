// Moving the packages of an organization to its container and back while the server runs.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { countLevels, findNewestUsage } from '../../../src/billing/meters.ts';
import { systemContext } from '../../../src/core/transact.ts';
import { MINUTE } from '../../../src/lib/clock.ts';
import { leaveContainer } from '../../../src/storage/azure/containers.ts';
import { type MoveOptions, moveObjects } from '../../../src/storage/move-objects.ts';
import { saveAttached } from '../../../src/storage/stored-objects.ts';
import { initiate, uploadAnswer } from '../../builds/scenario.ts';
import { type AzureFront, startAzureFront } from '../../support/azure-front.ts';
import { type Azurite, startAzurite, whyNoAzurite } from '../../support/azurite.ts';
import { buildApk, sha256 } from '../../support/fixtures.ts';
import { auditMark, auditRows } from '../../support/harness.ts';
import { type CustomerScenario, startCustomerScenario } from './scenario.ts';

const missing = whyNoAzurite();
if (missing !== undefined) process.stdout.write(`moving packages to containers skipped: ${missing}\n`);

describe.skipIf(missing !== undefined)('moving the packages of an organization', () => {
  let azurite: Azurite;
  let front: AzureFront;
  let scenario: CustomerScenario;
  let organizationId: string;

  beforeAll(async () => {
    azurite = await startAzurite();
    front = await startAzureFront(azurite);
  });
  afterAll(async () => {
    await front?.stop();
    await azurite?.stop();
  });
  beforeEach(async () => {
    front.reset();
    scenario = await startCustomerScenario(front);
    organizationId = scenario.android.organization_id;
  });
  afterEach(() => scenario?.fixture.stop());

  const move = (to: MoveOptions['to'], more: Partial<MoveOptions> = { organizationId }) =>
    moveObjects(systemContext(scenario.fixture.app), { to, ...more });
  const counts = { there: 0, waiting: 0, inContainers: 0, deleted: 0, failed: 0, failures: [], uploads: 0 };
  const packagesOnServer = async () => {
    const page = await scenario.fixture.app.storage.attached.get('local')?.list('builds/', { limit: 100 });
    return page?.items.map(({ key }) => key).filter((key) => key.endsWith('.apk'));
  };
  const linkOf = async (identifier: string) => {
    const answer = await scenario.ci.get(`/api/v1/builds/${identifier}/download`);
    expect(answer.status, answer.text).toBe(200);
    return String(answer.body.download_url);
  };
  const fetchSha = async (url: string) => {
    const response = await fetch(url);
    expect(response.status).toBe(200);
    return { from: new URL(response.url).origin, sha256: sha256(Buffer.from(await response.arrayBuffer())) };
  };

  it('to its container and back keeps every byte, and links that were signed before work', async () => {
    const { fixture, before } = scenario;
    const checksum = String(before.sha256);
    const own = new URL(fixture.config.server.base_url).origin;
    const earlier = await linkOf(before.identifier);
    const mark = auditMark(fixture);
    const there = await move('azure');
    expect(there).toEqual({ ...counts, moved: 1, bytes: before.size_bytes });
    expect(auditRows(fixture, { after: mark })).toMatchObject([
      { event: 'storage_moved', organizationId, identifier: 'azure', details: { state: 'started', objects: 1 } },
      { event: 'storage_moved', organizationId, details: { to: 'azure', state: 'finished', moved: 1 } },
    ]);
    expect(await front.listNames(scenario.container)).toEqual([
      expect.stringMatching(/\/builds\/[^/]+\/package\.apk$/),
    ]);
    // The server leads there.
    expect(await fetchSha(earlier)).toEqual({ from: front.url, sha256: checksum });
    expect(await fetchSha(await linkOf(before.identifier))).toEqual({ from: front.url, sha256: checksum });
    expect(await move('azure')).toEqual({ ...counts, moved: 0, bytes: 0, there: 1 });
    fixture.clock.advance(21 * MINUTE);
    await fixture.drain();
    expect(await packagesOnServer()).toEqual([]);
    expect(await fetchSha(await linkOf(before.identifier))).toEqual({ from: front.url, sha256: checksum });

    systemContext(fixture.app).transact((tx) => leaveContainer(tx, organizationId), { bookkeeping: true });
    expect(await move('local')).toMatchObject({ moved: 1, failed: 0 });
    expect(await fetchSha(await linkOf(before.identifier))).toEqual({ from: own, sha256: checksum });
    fixture.clock.advance(21 * MINUTE);
    await fixture.drain();
    expect(await front.listNames(scenario.container)).toEqual([]);
    expect(await packagesOnServer()).toHaveLength(1);
  });

  it('ends the metering of its bytes, and starts it again when they are back', async () => {
    await scenario.fixture.stop();
    scenario = await startCustomerScenario(front, {
      config: { billing: { enabled: true, starter_credit_cents: 100_000 } },
    });
    const { fixture, before } = scenario;
    const { app } = fixture;
    organizationId = scenario.android.organization_id;
    const level = () => findNewestUsage(app, organizationId)?.levelBytes;
    const size = Number(before.size_bytes);
    expect(level()).toBe(size);
    expect(await move('azure')).toMatchObject({ moved: 1 });
    expect([level(), countLevels(app, organizationId).bytes]).toEqual([0, 0]);
    const own = await uploadAnswer(scenario.ci, scenario.android, buildApk());
    await fixture.drain();
    expect([level(), countLevels(app, organizationId).bytes]).toEqual([0, 0]);

    systemContext(app).transact((tx) => leaveContainer(tx, organizationId), { bookkeeping: true });
    fixture.clock.advance(21 * MINUTE);
    await fixture.drain();
    expect(await move('local')).toMatchObject({ moved: 2, failed: 0 });
    const both = size + Number(own.size_bytes);
    expect([level(), countLevels(app, organizationId).bytes]).toEqual([both, both]);
  });

  it('needs an organization and its container', async () => {
    await expect(move('azure', {})).rejects.toThrow('a container belongs to one organization: add --organization ID');
    const other = scenario.second.project.organization_id;
    await expect(move('azure', { organizationId: other })).rejects.toThrow(
      'the organization has no container of its own for new builds',
    );
    await expect(move('s3')).rejects.toThrow('there is no bucket to move to');
    await expect(move('local', { organizationId: other })).rejects.toThrow('no other backend is configured');
  });

  it('is not part of moving everything', async () => {
    await uploadAnswer(scenario.ci, scenario.android, buildApk());
    await scenario.fixture.drain();
    const { app } = scenario.fixture;
    // Another backend of the server.
    (app.storage.attached as Map<string, unknown>).set('s3', { ...app.storage.attached.get('local'), backend: 's3' });
    saveAttached(systemContext(app));
    expect(await move('local', {})).toMatchObject({ inContainers: 1, failed: 0, moved: 0 });
    expect(await front.listNames(scenario.container)).toHaveLength(1);
  });

  it('counts uploads that are not complete', async () => {
    await initiate(scenario.ci, scenario.android);
    expect(await move('azure')).toMatchObject({ uploads: 0 });
    expect(await move('local')).toMatchObject({ uploads: 1 });
  });

  it('leaves a package where it is while the container cannot be used', async () => {
    const { fixture, before } = scenario;
    front.state.role = 'reader';
    expect(await move('azure')).toMatchObject({ moved: 0, failed: 1 });
    front.state.role = 'contributor';
    const own = new URL(fixture.config.server.base_url).origin;
    expect(await fetchSha(await linkOf(before.identifier))).toMatchObject({ from: own });
    fixture.clock.advance(MINUTE);
    expect(await move('azure')).toMatchObject({ moved: 1, failed: 0 });
    expect(await fetchSha(await linkOf(before.identifier))).toMatchObject({ sha256: before.sha256 });
  });

  it('leaves a package where it is if its copy has other bytes', async () => {
    const { before } = scenario;
    front.state.faults = [
      {
        method: 'GET',
        path: /\/builds\//,
        status: 206,
        headers: {
          'content-range': `bytes 0-2/${before.size_bytes}`,
          etag: '"0x1"',
          'last-modified': new Date(0).toUTCString(),
        },
        body: 'abc',
      },
    ];
    expect(await move('azure')).toMatchObject({
      failed: 1,
      failures: [expect.objectContaining({ build: before.identifier })],
    });
    front.state.faults = [];
    expect(await front.listNames(scenario.container)).toEqual([]);
    expect(await move('azure')).toMatchObject({ moved: 1 });
  });

  it('deletes left copies later if the container cannot be used, without keeping others', async () => {
    const { fixture } = scenario;
    await move('azure');
    fixture.clock.advance(21 * MINUTE);
    await fixture.drain();
    expect(await move('local')).toMatchObject({ moved: 1 });
    front.state.role = 'none';
    fixture.clock.advance(21 * MINUTE);
    await fixture.drain();
    expect(await front.listNames(scenario.container)).toHaveLength(1);
    expect(await packagesOnServer()).toHaveLength(1);
    front.state.role = 'contributor';
    for (let round = 0; round < 4; round += 1) {
      fixture.clock.advance(31 * MINUTE);
      await fixture.drain();
    }
    expect(await front.listNames(scenario.container)).toEqual([]);
  });
});
