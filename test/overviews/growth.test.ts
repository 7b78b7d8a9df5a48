// What lists cost when there are many rows: they let other requests run between rows, and read each row once.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { listBuilds } from '../../src/builds/service.ts';
import type { ProjectContext } from '../../src/core/context.ts';
import { systemContext } from '../../src/core/transact.ts';
import {
  buildFacts,
  builds,
  channels,
  devices,
  projects,
  releases,
  waitingDevices,
  webhookSubscriptions,
} from '../../src/data/tables/tables.ts';
import { listExpiring } from '../../src/expiry/service.ts';
import { warnOfExpiry } from '../../src/expiry/warnings.ts';
import type { ArchiveFacts } from '../../src/inspection/facts.ts';
import { DAY } from '../../src/lib/clock.ts';
import { listAttention } from '../../src/overviews/attention.ts';
import { listChannelOverviews } from '../../src/overviews/channels.ts';
import { listProjectOverviews } from '../../src/overviews/projects.ts';
import { deleteBackupMarks } from '../../src/overviews/setup-store.ts';
import { listCurrent, listReleases } from '../../src/releases/service.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import { listFailing, listWebhooks } from '../../src/webhooks/service.ts';
import { api, type Json } from '../support/harness.ts';
import { plansOf, stepsOn } from '../support/plans.ts';
import { countTurns } from '../support/turns.ts';

const MANY = 20;

let fixture: Fixture;
beforeEach(async () => {
  // What the server does by itself would take turns too.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  fixture = await startFixture();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await fixture?.stop();
  vi.useRealTimers();
});

function context(projectId = fixture.ios_project_id): ProjectContext {
  return {
    ...fixture.app,
    actor: { kind: 'developer', id: fixture.admin.developer_id, isOperator: true },
    organization: { id: fixture.organization_id, role: 'admin' },
    project: { id: projectId, platform: 'ios', role: 'admin' },
  } as unknown as ProjectContext;
}

const udidOf = (number: number) => `${String(number).padStart(8, '0')}-000000000000001E`;

/** Adds a channel with a current release, whose profile names two devices and expires in ten days. */
function addLiveBuild(number: number, channelId = addChannel(number)): string {
  const { app, organization_id: organizationId, ios_project_id: projectId } = fixture;
  const buildId = app.ids.next();
  const now = app.clock.now().getTime();
  const profileExpiresAt = now + 10 * DAY;
  const text = { platform: 'ios' as const, versionName: '1.0', sha256: '0'.repeat(64), objectKey: buildId };
  const rest = { buildNumber: number, sizeBytes: 9, uploadedAt: now, inspectionStatus: 'ok' as const };
  app.db
    .insert(builds)
    .values({ id: buildId, organizationId, projectId, ...text, ...rest, pendingUploadId: app.ids.next() })
    .run();
  const flags = {
    isSimulatorBuild: false,
    isPartial: false,
    isTestOnly: false,
    isDebuggable: false,
    isUnsigned: false,
  };
  const content: ArchiveFacts = {
    ...flags,
    applicationName: null,
    bundleIdentifier: 'com.example',
    versionName: '1.0',
    buildNumber: '1',
    families: [],
    abis: [],
    profile: {
      kind: 'ad-hoc',
      uuid: `profile ${number}`,
      name: 'Harbor',
      expiresAt: profileExpiresAt,
      teamPrefix: null,
    },
    verifiedFromSdk: null,
    certificates: [],
  };
  app.db
    .insert(buildFacts)
    .values({
      buildId,
      content: JSON.stringify(content),
      profileExpiresAt,
      provisionedDevices: `\n${udidOf(2 * number)}\n${udidOf(2 * number + 1)}\n`,
    })
    .run();
  const release = { id: app.ids.next(), organizationId, projectId, channelId, buildId, mandatory: false };
  app.db
    .insert(releases)
    .values({ ...release, state: 'active', createdAt: now })
    .run();
  return channelId;
}

function addChannel(number: number): string {
  const { app, organization_id: organizationId, ios_project_id: projectId } = fixture;
  const id = app.ids.next();
  const flags = { autoDistribute: false, notifyOnRelease: false, isPublic: false };
  app.db
    .insert(channels)
    .values({ id, organizationId, projectId, name: `channel ${number}`, ...flags, createdAt: 0 })
    .run();
  return id;
}

function addWebhook(number: number): void {
  const { app, organization_id: organizationId } = fixture;
  const row = { id: app.ids.next(), organizationId, sealedUrl: `${number}`, sealedSecret: '', events: '[]' };
  app.db
    .insert(webhookSubscriptions)
    .values({ ...row, format: 'svc', active: true, createdAt: 0 })
    .run();
}

const numbers = Array.from({ length: MANY }, (_, number) => number);

describe('many rows', () => {
  it.each<[string, (number: number) => void, () => unknown]>([
    ['builds', addLiveBuild, () => listBuilds(context(), { organization_id: '', project_id: '' })],
    ['channels in the overview of a project', addLiveBuild, () => listChannelOverviews(context(), {})],
    ['channels with a current release', addLiveBuild, () => listCurrent(context(), undefined)],
    ['channels with an expiring profile', addLiveBuild, () => listExpiring(context(), {})],
    [
      'projects in the overview of an organization',
      (number) => {
        const { app, organization_id: organizationId } = fixture;
        const row = { id: app.ids.next(), organizationId, name: `Project ${number}`, platform: 'ios' as const };
        app.db
          .insert(projects)
          .values({ ...row, createdAt: 0 })
          .run();
      },
      () => listProjectOverviews(context(), {}),
    ],
    ['webhooks that may fail', addWebhook, () => listFailing(context())],
    ['webhooks in their list', addWebhook, () => listWebhooks(context(), {})],
  ])('let other requests run in between: %s', async (_, add, work) => {
    for (const number of numbers) add(number);
    expect(await countTurns(work)).toBeGreaterThanOrEqual(MANY);
  });

  it('let other requests run between the channels that are searched for expiring profiles, and between warnings', async () => {
    for (const number of numbers) addLiveBuild(number);
    // The fixture has one more channel.
    expect(await countTurns(() => warnOfExpiry(systemContext(fixture.app)))).toBe(2 * MANY + 1);
  });

  it('let other requests run between the releases of a channel', async () => {
    const channelId = addChannel(0);
    for (const number of numbers) addLiveBuild(number, channelId);
    expect(await countTurns(() => listReleases(context(), channelId, {}))).toBe(MANY);
  });

  it('let other requests run in each part of what needs attention', async () => {
    const before = await countTurns(() => listAttention(context()));
    for (const number of numbers) addLiveBuild(number);
    // Channels, builds that may be uninstallable, expiring signatures, and profiles without a device to look for.
    expect((await countTurns(() => listAttention(context()))) - before).toBe(3 * MANY);
    const { app, organization_id: organizationId } = fixture;
    const device = { id: app.ids.next(), organizationId, udid: udidOf(999), name: 'A phone', registeredAt: 0 };
    app.db.insert(devices).values(device).run();
    expect((await countTurns(() => listAttention(context()))) - before).toBe(4 * MANY);
  });
});

describe('devices that wait on channels', () => {
  /** Adds devices that wait on a channel, since 1,000 and the milliseconds after. */
  function addWaiting(channelId: string, count: number): void {
    const { app, organization_id: organizationId } = fixture;
    for (let number = 0; number < count; number += 1) {
      const deviceId = app.ids.next();
      const device = { id: deviceId, organizationId, udid: `${deviceId}-phone`, name: 'A phone', registeredAt: 0 };
      app.db.insert(devices).values(device).run();
      app.db
        .insert(waitingDevices)
        .values({ id: app.ids.next(), organizationId, channelId, deviceId, createdAt: 1_000 + number })
        .run();
    }
  }

  it('are found with one query for each page of devices', async () => {
    const channelId = addLiveBuild(0);
    addWaiting(channelId, 450);
    const plans = await plansOf(fixture.app.db.$client, () => listAttention(context()));
    const perDevice = plans.filter(({ source }) => /FROM waiting_devices WHERE device_id/.test(source));
    expect(perDevice).toHaveLength(3);
    expect(stepsOn('waiting_devices', perDevice)).toEqual(
      Array(3).fill('SEARCH waiting_devices EXISTS USING COVERING INDEX waiting_devices_device (device_id=?)'),
    );
  });

  it('are counted up to 1,000 on each channel that is listed, in steps and without sorting', async () => {
    const [first, second] = [addChannel(0), addChannel(1)];
    fixture.app.db.$client.transaction(() => {
      addWaiting(second, 1_005);
      addWaiting(first, 3);
    })();
    for (const number of numbers) addWaiting(addChannel(2 + number), 1);
    const path = `/api/v1/organizations/${fixture.organization_id}/attention`;
    const answer = await api(fixture).get<{ items: Json[] }>(path, {});
    const counts = answer.body.items.filter(({ kind }) => kind === 'channel_awaited');
    expect(counts).toHaveLength(2 + MANY);
    const devicesOn = (id: string) => counts.find(({ channel_id }) => channel_id === id);
    expect([devicesOn(first)?.devices, devicesOn(second)?.devices]).toEqual([3, 1_000]);
    expect(devicesOn(second)?.since).toBe(new Date(1_000).toISOString());
    const plans = await plansOf(fixture.app.db.$client, () => listAttention(context()));
    const onChannels = plans.filter(
      ({ source }) => /waiting_devices/.test(source) && !/device_id = value/.test(source),
    );
    expect([...new Set(stepsOn('waiting_devices', onChannels))].sort()).toEqual([
      'SEARCH w USING COVERING INDEX waiting_devices_organization (organization_id=? AND channel_id>?)',
      'SEARCH waiting_devices USING COVERING INDEX waiting_devices_channel (channel_id=?)',
    ]);
    // One seek for each channel, and one that finds no other; one count for each.
    expect(onChannels).toHaveLength(2 * (2 + MANY) + 1);
    expect(await countTurns(() => listAttention(context()))).toBeGreaterThanOrEqual(3 * (2 + MANY));
  });
});

describe('the setup checklist', () => {
  it('finds an install and the marks of a backup with one seek', async () => {
    for (const number of numbers) addChannel(number);
    const { $client } = fixture.app.db;
    const path = `/api/v1/organizations/${fixture.organization_id}/setup`;
    const reads = await plansOf($client, () => api(fixture).get(path));
    expect(stepsOn('downloads', reads)).toEqual([
      'SEARCH downloads USING INDEX downloads_organization (organization_id=?)',
    ]);
    const writes = await plansOf($client, () =>
      systemContext(fixture.app).transact((tx) => deleteBackupMarks(tx), { bookkeeping: true }),
    );
    expect(stepsOn('setup_marks', writes)).toEqual([
      'SEARCH setup_marks USING COVERING INDEX setup_marks_backup (mark=?)',
    ]);
  });
});

describe('devices and profiles', () => {
  const addDevices = (count: number) => {
    const { app, organization_id: organizationId } = fixture;
    for (let number = 0; number < count; number += 1) {
      const row = { id: app.ids.next(), organizationId, udid: udidOf(number), name: 'A phone' };
      app.db
        .insert(devices)
        .values({ ...row, registeredAt: 1_000 + number })
        .run();
    }
  };
  /** How often a device is looked up in the devices of a profile. */
  const countLookups = async (work: () => Promise<unknown>) => {
    const has = vi.spyOn(Set.prototype, 'has');
    await work();
    const lookups = has.mock.calls.filter(([value]) => /^\d{8}-0+1E$/.test(String(value))).length;
    has.mockRestore();
    return lookups;
  };
  const read = async <Body>(path: string, query: Record<string, string>) => {
    const answer = await api(fixture).get<Body>(path, query);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };

  it('are not compared each with each to find the devices that wait', async () => {
    for (const number of numbers) addLiveBuild(number);
    addDevices(2 * MANY + 5);
    const path = `/api/v1/organizations/${fixture.organization_id}/attention`;
    let items: Json[] = [];
    const lookups = await countLookups(async () => {
      ({ items } = await read<{ items: Json[] }>(path, {}));
    });
    expect(items.filter(({ kind }) => kind === 'devices_waiting')).toEqual([
      { kind: 'devices_waiting', devices: 5, since: new Date(1_000 + 2 * MANY).toISOString() },
    ]);
    expect(lookups).toBe(0);
  });

  it('are not compared each with each to count the devices of builds', async () => {
    for (const number of numbers) addLiveBuild(number);
    addDevices(2 * MANY + 5);
    const { organization_id, ios_project_id: project_id } = fixture;
    const { items: listed } = await read<{ items: { identifier: string }[] }>('/api/v1/builds', {
      organization_id,
      project_id,
    });
    const ids = listed.map(({ identifier }) => identifier);
    let items: Json[] = [];
    const lookups = await countLookups(async () => {
      const query = { organization_id, project_id, build_ids: ids.join(',') };
      ({ items } = await read<{ items: Json[] }>('/api/v1/builds/device-counts', query));
    });
    expect(items).toEqual(ids.map((build_id) => ({ build_id, devices_total: 2 * MANY + 5, devices_able: 2 })));
    expect(lookups).toBe(0);
  });
});
