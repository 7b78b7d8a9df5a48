// An SDK app with its own channel, releases on it, and installs.
import { expect } from 'vitest';
import { builds } from '../../src/data/tables/tables.ts';
import type { Fixture } from '../../src/testing/fixture.ts';
import { type Answer, api, type Client, type Json, type Query, signIn } from '../support/harness.ts';

export interface SdkApp {
  identifier: string;
  channel_id: string;
  name: string;
  app_key: string;
  app_secret: string;
}

export interface Enrollment {
  install_id: string;
  update_token: string;
  expires_at: string;
}

interface Latest {
  update_available: boolean;
  mandatory: boolean;
  release: { identifier: string; version_name: string; build_number: number; mandatory: boolean } | null;
}

export interface SdkScenario {
  platform: 'ios' | 'android';
  inProject: { organization_id: string; project_id: string };
  channelId: string;
  app: SdkApp;
  /** The administrator's session; a new one after the clock was moved. */
  staff(): Promise<Client>;
  addChannel(body?: Json): Promise<string>;
  addApp(channelId?: string): Promise<SdkApp>;
  /** A build with bytes behind it. */
  addBuild(version: string, buildNumber: number): Promise<string>;
  /** A new build, released. */
  release(version: string, buildNumber: number, body?: Json, channelId?: string): Promise<string>;
  enroll(body?: Json, app?: SdkApp): Promise<Enrollment>;
  /** Asks under /sdk/v1 with the key of an SDK app and a token; undefined leaves a header out. */
  ask<Body = Json>(path: string, with_: Held, query?: Query): Promise<Answer<Body>>;
  tell<Body = Json>(path: string, with_: Held, body?: unknown): Promise<Answer<Body>>;
  latest(token: string, query?: Query, app?: SdkApp): Promise<Answer<Latest>>;
}

/** What a request carries. */
export interface Held {
  key?: string | undefined;
  token?: string | undefined;
  headers?: Record<string, string>;
}

const ACCESS_TOKEN_REUSE_MS = 8 * 60_000;
let made = 0;

export async function startSdkScenario(
  fixture: Fixture,
  platform: 'ios' | 'android' = 'android',
): Promise<SdkScenario> {
  const projectId = platform === 'ios' ? fixture.ios_project_id : fixture.android_project_id;
  const inProject = { organization_id: fixture.organization_id, project_id: projectId };
  let session: { since: number; client: Client } | undefined;

  async function staff(): Promise<Client> {
    const now = fixture.clock.now().getTime();
    if (session === undefined || now - session.since > ACCESS_TOKEN_REUSE_MS) {
      session = { since: now, client: (await signIn(fixture)).client };
    }
    return session.client;
  }
  async function make<Body>(path: string, body: Json, query: Query): Promise<Body> {
    const answer = await (await staff()).post<Body>(path, body, query);
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  }
  async function addChannel(body: Json = {}): Promise<string> {
    made += 1;
    const named = { name: `updates ${made}`, ...body };
    return (await make<{ identifier: string }>('/api/v1/channels', named, inProject)).identifier;
  }
  async function addBuild(versionName: string, buildNumber: number): Promise<string> {
    const { app } = fixture;
    const id = app.ids.next();
    const objectKey = `builds/${id}/package`;
    const bytes = Buffer.from(`package ${id}`);
    await app.storage.put(objectKey, bytes);
    app.db
      .insert(builds)
      .values({
        id,
        organizationId: fixture.organization_id,
        projectId,
        platform,
        versionName,
        buildNumber,
        sha256: '0'.repeat(64),
        sizeBytes: bytes.length,
        uploadedAt: app.clock.now().getTime(),
        bundleIdentifier: 'com.example.app',
        releaseNotes: 'Notes of the build',
        objectKey,
        inspectionStatus: 'unreadable',
        pendingUploadId: app.ids.next(),
      })
      .run();
    return id;
  }
  const send = async <Body>(method: string, path: string, held: Held, more: object): Promise<Answer<Body>> => {
    const headers = { ...(held.key === undefined ? {} : { 'x-svc-app-key': held.key }), ...held.headers };
    return api(fixture, held.token ?? null).send<Body>(method, `/sdk/v1${path}`, { headers, ...more });
  };

  const channelId = await addChannel();
  const addApp = (channel = channelId) =>
    make<SdkApp>('/api/v1/sdk-apps', { name: 'Harbour', channel_id: channel }, inProject);
  const app = await addApp();

  return {
    platform,
    inProject,
    channelId,
    app,
    staff,
    addChannel,
    addApp,
    addBuild,
    async release(version, buildNumber, body = {}, channel = channelId) {
      const buildId = await addBuild(version, buildNumber);
      const query = { ...inProject, channel_id: channel };
      return (await make<{ identifier: string }>('/api/v1/releases', { build_id: buildId, ...body }, query)).identifier;
    },
    async enroll(body = {}, of = app) {
      const answer = await send<Enrollment>(
        'POST',
        '/enroll',
        { key: of.app_key },
        {
          body: { app_secret: of.app_secret, ...body },
        },
      );
      expect(answer.status, answer.text).toBe(201);
      return answer.body;
    },
    ask: (path, held, query = {}) => send('GET', path, held, { query }),
    tell: (path, held, body) => send('POST', path, held, { body }),
    latest: (token, query = {}, of = app) => send('GET', '/releases/latest', { key: of.app_key, token }, { query }),
  };
}
