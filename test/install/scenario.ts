// A server with an https address whose channels hold releases, and a phone that follows links to it.
import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { readPlist } from '../../src/inspection/plist.ts';
import type { FixtureOptions } from '../../src/testing/fixture.ts';
import {
  type Build,
  type BuildScenario,
  complete,
  initiate,
  type Project,
  sendBytes,
  startBuildScenario,
} from '../builds/scenario.ts';
import { toPlainValue } from '../inspection/build-plist.ts';
import { sha256 } from '../support/fixtures.ts';
import { type Answer, api, type Client, type Json, signIn } from '../support/harness.ts';

export interface InstallScenario extends BuildScenario {
  /** What links start with. */
  base: string;
  /** Someone without a credential. */
  anyone: Client;
  /** The administrator's session, a new one after the clock was moved. */
  staff(): Promise<Client>;
  addChannel(project: Project, body?: Json): Promise<string>;
  addBuild(project: Project, bytes: Buffer, body?: Json): Promise<Build>;
  addRelease(project: Project, channelId: string, buildId: string, body?: Json): Promise<string>;
  /** A public channel that serves this package. */
  publish(project: Project, bytes: Buffer, body?: Json): Promise<Published>;
  analytics(channelId: string): Promise<Json>;
  /** The server's own address for a link it gave, whose https ends before it. */
  reach(link: string): string;
  /** Follows a link as a phone does: no cookie, no credential. Answers what came and asserts that no cookie was set. */
  follow(link: string, init?: RequestInit): Promise<Response>;
  /** SHA-256 of the bytes behind a link, redirects followed. */
  digest(link: string): Promise<string>;
}

export interface Published {
  project: Project;
  channelId: string;
  releaseId: string;
  build: Build;
  digest: string;
  /** `/public/v1/channels/…/releases/…` */
  path: string;
}

/** Access tokens last for ten minutes. */
const ACCESS_TOKEN_REUSE_MS = 8 * 60_000;

export async function startInstallScenario(options: FixtureOptions = {}): Promise<InstallScenario> {
  const server = { base_url: 'https://localhost:0', ...options.config?.server };
  const scenario = await startBuildScenario({ config: { ...options.config, server } });
  const { fixture } = scenario;
  const base = fixture.config.server.base_url;
  const reach = (link: string) => link.replace(base, fixture.url);
  let number = 0;
  let session: { since: number; client: Client } | undefined;

  async function staff(): Promise<Client> {
    const now = fixture.clock.now().getTime();
    if (session === undefined || now - session.since > ACCESS_TOKEN_REUSE_MS) {
      session = { since: now, client: (await signIn(fixture)).client };
    }
    return session.client;
  }
  async function make(path: string, body: Json, query: Json): Promise<string> {
    const answer = await (await staff()).post<{ identifier: string }>(path, body, query as Record<string, string>);
    expect(answer.status, answer.text).toBe(201);
    return answer.body.identifier;
  }
  function addChannel(project: Project, body: Json = {}): Promise<string> {
    number += 1;
    return make('/api/v1/channels', { name: `Channel ${number}`, public: true, ...body }, { ...project });
  }
  async function addBuild(project: Project, bytes: Buffer, body: Json = {}): Promise<Build> {
    const client = await staff();
    const pending = await initiate(client, project, body);
    expect([200, 201]).toContain(await sendBytes({ ...pending, upload_url: reach(pending.upload_url) }, bytes));
    const answer = await complete(client, project, pending.pending_upload_id, sha256(bytes));
    expect(answer.status, answer.text).toBe(201);
    return answer.body as Build;
  }
  const addRelease: InstallScenario['addRelease'] = (project, channelId, buildId, body = {}) =>
    make('/api/v1/releases', { build_id: buildId, ...body }, { ...project, channel_id: channelId });
  async function follow(link: string, init: RequestInit = {}): Promise<Response> {
    const response = await fetch(reach(link), { redirect: 'manual', ...init });
    expect(response.headers.get('set-cookie')).toBeNull();
    return response;
  }

  return {
    ...scenario,
    base,
    anyone: api(fixture, null),
    staff,
    addChannel,
    addBuild,
    addRelease,
    async publish(project, bytes, body = {}) {
      const channelId = await addChannel(project);
      const build = await addBuild(project, bytes, body);
      const releaseId = await addRelease(project, channelId, build.identifier);
      const path = `/public/v1/channels/${channelId}/releases/${releaseId}`;
      return { project, channelId, releaseId, build, digest: sha256(bytes), path };
    },
    async analytics(channelId) {
      return (await (await staff()).get(`/api/v1/channels/${channelId}/analytics`)).body;
    },
    reach,
    follow,
    async digest(link) {
      let response = await follow(link);
      for (let hops = 0; response.status === 302 && hops < 3; hops += 1) {
        response = await follow(response.headers.get('location') ?? '');
      }
      expect(response.status).toBe(200);
      return createHash('sha256')
        .update(Buffer.from(await response.arrayBuffer()))
        .digest('hex');
    },
  };
}

export interface ManifestRead {
  package: string;
  icon: string | undefined;
  metadata: Json;
}

/** An over-the-air manifest as iOS reads it. */
export function readManifest(text: string): ManifestRead {
  const { items } = toPlainValue(readPlist(Buffer.from(text))) as {
    items: { assets: { kind: string; url: string }[]; metadata: Json }[];
  };
  expect(items).toHaveLength(1);
  const [item] = items;
  const urlOf = (kind: string) => item?.assets.find((asset) => asset.kind === kind)?.url;
  return { package: urlOf('software-package') ?? '', icon: urlOf('display-image'), metadata: item?.metadata ?? {} };
}

/** Asserts the refusal that is the same for whatever is absent, private, altered or withdrawn. */
export function expectNothing(answer: Answer<unknown>): void {
  expect(answer.body).toEqual({ error: 'not_found', message: 'Not found', details: {} });
  expect(answer.status).toBe(404);
  expect(answer.headers.get('set-cookie')).toBeNull();
}
