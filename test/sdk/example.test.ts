// The example client against a real server.

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  createUpdateClient,
  type Kept,
  type UpdateClient,
  UpdatesEndedError,
} from '../../examples/in-app-updates/client.ts';
import { builds, releases } from '../../src/data/tables/tables.ts';
import { DAY } from '../../src/lib/clock.ts';
import { installJournalOf } from '../../src/sdk/journal.ts';
import { type Fixture, startFixture } from '../../src/testing/fixture.ts';
import type { Page } from '../support/harness.ts';
import { type SdkApp, type SdkScenario, startSdkScenario } from './scenario.ts';

let fixture: Fixture;
let scenario: SdkScenario;
let kept: Kept | undefined;
let sent: string[];
let pauses: number[];

beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture?.stop());
beforeEach(async () => {
  fixture.app.db.delete(releases).run();
  fixture.app.db.delete(builds).run();
  scenario = await startSdkScenario(fixture);
  kept = undefined;
  sent = [];
  pauses = [];
});

/** An app that starts with what it has kept. */
function launch({
  build = 1,
  app = scenario.app,
  answer = (): Response | undefined => undefined,
  delay = (): Promise<Response> | undefined => undefined,
  clockAheadMs = 0,
}: {
  build?: number;
  app?: SdkApp;
  answer?: (path: string) => Response | undefined;
  delay?: (path: string, authorization: string | undefined) => Promise<Response> | undefined;
  clockAheadMs?: number;
} = {}): UpdateClient {
  return createUpdateClient({
    baseUrl: fixture.url,
    appKey: app.app_key,
    appSecret: app.app_secret,
    running: { versionName: `${build}.0`, buildNumber: build },
    device: { model: 'Pixel 9', osVersion: '16' },
    keeper: {
      load: async () => kept,
      save: async (next) => {
        kept = next;
      },
    },
    now: () => fixture.clock.now().getTime() + clockAheadMs,
    wait: async (milliseconds) => void pauses.push(milliseconds),
    fetch: async (input, init) => {
      const { pathname } = new URL(String(input));
      const { Authorization } = (init?.headers ?? {}) as Record<string, string>;
      const response = answer(pathname) ?? (await (delay(pathname, Authorization) ?? fetch(input, init)));
      sent.push(`${init?.method ?? 'GET'} ${pathname} ${response.status}`);
      return response;
    },
  });
}

const installs = async () =>
  (await (await scenario.staff()).get<Page>(`/api/v1/sdk-apps/${scenario.app.identifier}/installs`)).body.items;

describe('the example client', () => {
  it('enrolls automatically, checks for updates, and gets a short response if nothing has changed', async () => {
    await scenario.release('1.0', 1);
    const client = launch();
    expect(await client.check()).toMatchObject({ update_available: false, mandatory: false });
    expect(await client.check()).toMatchObject({ update_available: false, release: { build_number: 1 } });
    expect(sent).toEqual([
      'POST /sdk/v1/enroll 201',
      'GET /sdk/v1/releases/latest 200',
      'GET /sdk/v1/releases/latest 304',
    ]);
    expect(await installs()).toMatchObject([{ device_model: 'Pixel 9', os_version: '16', build_number: 1 }]);
    sent = [];
    await launch().check();
    expect(sent).toEqual(['GET /sdk/v1/releases/latest 200']);
  });

  it.each([-400, 400])('enrolls once on a phone whose clock is wrong by %i days', async (days) => {
    const clockAheadMs = days * DAY;
    const client = launch({ clockAheadMs });
    for (let count = 0; count < 3; count += 1) await client.check();
    await launch({ clockAheadMs }).check();
    expect(sent.filter((request) => request.startsWith('POST'))).toEqual(['POST /sdk/v1/enroll 201']);
    // The phone's clock is set right.
    await launch().check();
    await launch().check();
    expect(await installs()).toHaveLength(1);
    expect(sent.filter((request) => request.includes('/enroll')).length).toBeLessThanOrEqual(2);
  });

  it('exchanges the token of a running app once for simultaneous requests', async () => {
    const client = launch();
    await client.check();
    fixture.clock.advance(25 * DAY);
    sent = [];
    await Promise.all([client.check(), client.check(), client.check()]);
    expect(sent.filter((request) => request.startsWith('POST'))).toEqual(['POST /sdk/v1/token/rotate 200']);
  });

  it('downloads an update, verifies its checksum, and reports the result', async () => {
    const client = launch();
    const releaseId = await scenario.release('2.0', 2, { mandatory: true });
    const { update_available, mandatory, release } = await client.check();
    expect([update_available, mandatory, release?.identifier]).toEqual([true, true, releaseId]);
    await expect(client.download(releaseId)).rejects.toThrow('not what was uploaded');
    const { download_url } = await client.locate(releaseId);
    const bytes = Buffer.from(await (await fetch(download_url)).arrayBuffer());
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    fixture.app.db.update(builds).set({ sha256 }).run();
    expect(Buffer.from(await client.download(releaseId))).toEqual(bytes);
    await client.report(releaseId, 'failed', 'x'.repeat(5000));
    await client.report(releaseId, 'launched');
    installJournalOf(fixture.app).flush();
    expect(await installs()).toMatchObject([{ last_report: { release_id: releaseId, state: 'launched' } }]);
  });

  it('rotates its token in time and stays the same install', async () => {
    await launch().check();
    const first = kept;
    sent = [];
    fixture.clock.advance(21 * DAY);
    await launch().check();
    expect(sent).toEqual(['POST /sdk/v1/token/rotate 200', 'GET /sdk/v1/releases/latest 200']);
    expect([kept?.installId, kept?.updateToken === first?.updateToken]).toEqual([first?.installId, false]);
  });

  it('enrolls again after a long time, and when its token is rejected, as the same install', async () => {
    await launch().check();
    const first = kept;
    fixture.clock.advance(40 * DAY);
    sent = [];
    const client = launch();
    await client.check();
    expect(sent).toEqual(['POST /sdk/v1/enroll 201', 'GET /sdk/v1/releases/latest 200']);
    expect(kept?.installId).toBe(first?.installId);
    // The token was lost on the way.
    kept = { ...(kept as Kept), updateToken: 'svc_upd_lost' };
    sent = [];
    await launch().check();
    expect(sent).toEqual([
      'GET /sdk/v1/releases/latest 401',
      'POST /sdk/v1/enroll 201',
      'GET /sdk/v1/releases/latest 200',
    ]);
    expect(await installs()).toHaveLength(1);
  });

  it('enrolls once for simultaneous requests', async () => {
    const client = launch();
    await Promise.all(Array.from({ length: 20 }, () => client.check()));
    expect(sent.filter((line) => line.includes('/enroll'))).toEqual(['POST /sdk/v1/enroll 201']);
  });

  it('enrolls once if all running requests are rejected at the same time', async () => {
    await launch().check();
    kept = { ...(kept as Kept), updateToken: 'svc_upd_lost' };
    sent = [];
    const refusals: ((response: Response) => void)[] = [];
    const refused = new Response('', { status: 401 });
    const client = launch({
      delay: (path, token) =>
        path.endsWith('/latest') && token === 'Bearer svc_upd_lost'
          ? new Promise((resolve) => {
              refusals.push(resolve);
              if (refusals.length === 6) for (const refuse of refusals) refuse(refused);
            })
          : undefined,
    });
    await Promise.all(Array.from({ length: 6 }, () => client.check()));
    expect(sent.filter((line) => line.includes('/enroll'))).toEqual(['POST /sdk/v1/enroll 201']);
    expect(await installs()).toHaveLength(1);
  });

  it('keeps its token if a busy server does not rotate it', async () => {
    await launch().check();
    fixture.clock.advance(21 * DAY);
    // Nobody enrolls with the old secret anymore; what is enrolled stays so.
    await (await scenario.staff()).post(`/api/v1/sdk-apps/${scenario.app.identifier}/rotate-secret`);
    const isExchange = (path: string) => path.endsWith('/token/rotate');
    sent = [];
    await launch({ answer: (path) => (isExchange(path) ? new Response('', { status: 503 }) : undefined) }).check();
    expect(sent.at(-1)).toBe('GET /sdk/v1/releases/latest 200');
    expect(sent.filter((line) => line.includes('/enroll'))).toEqual([]);
  });

  it('stops when its SDK app is revoked, and reports never fail', async () => {
    const app = await scenario.addApp();
    const client = launch({ app });
    await client.check();
    await (await scenario.staff()).post(`/api/v1/sdk-apps/${app.identifier}/revoke`);
    sent = [];
    await expect(client.check()).rejects.toThrow(UpdatesEndedError);
    expect(sent).toEqual(['GET /sdk/v1/releases/latest 401', 'POST /sdk/v1/enroll 401']);
    await client.report('nothing', 'launched');
  });

  it('waits as long as a busy server requests, up to a limit', async () => {
    let busy = 2;
    const answer = (path: string) => {
      if (!path.endsWith('/latest') || busy <= 0) return undefined;
      busy -= 1;
      return new Response('', { status: busy === 1 ? 429 : 503, headers: busy === 1 ? { 'retry-after': '7' } : {} });
    };
    await launch({ answer }).check();
    expect([pauses.length, pauses[0], (pauses[1] ?? 0) >= 1000]).toEqual([2, 7000, true]);
    const later = new Date(fixture.clock.now().getTime() + 9000).toUTCString();
    let isAsked = false;
    await launch({
      answer: (path) => {
        if (!path.endsWith('/latest') || isAsked) return undefined;
        isAsked = true;
        return new Response('', { status: 503, headers: { 'retry-after': later } });
      },
    }).check();
    const [asked = 0] = pauses.splice(2);
    expect(asked).toBeGreaterThan(7000);
    expect(asked).toBeLessThanOrEqual(9000);
    busy = 100;
    await expect(launch({ answer }).check()).rejects.toThrow('503');
    expect(pauses).toHaveLength(6);
  });
});

describe('the example program', () => {
  it('prints its usage if an argument is missing', () => {
    const file = join(import.meta.dirname, '../../examples/in-app-updates/run.ts');
    const { status, stderr } = spawnSync(process.execPath, [file, 'http://localhost'], { encoding: 'utf8' });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'Usage: run.ts SERVER APP_KEY APP_SECRET VERSION_NAME BUILD_NUMBER\n',
    });
  });
});
