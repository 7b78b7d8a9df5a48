// A small fake server that records requests and fails on demand.
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const ORGANIZATION = '01900000-0000-7000-8000-000000000001';
export const PROJECT = '01900000-0000-7000-8000-000000000002';
export const OTHER_PROJECT = '01900000-0000-7000-8000-000000000003';
export const CHANNEL = '01900000-0000-7000-8000-000000000004';
const PRIVATE_CHANNEL = '01900000-0000-7000-8000-000000000005';
export const AUTO_CHANNEL = '01900000-0000-7000-8000-000000000006';
export const BUILD = '01900000-0000-7000-8000-000000000007';
export const TOKEN = 'svc_prj_test';

type Json = Record<string, unknown>;
type Refusal = { status: number; body?: unknown; headers?: Record<string, string> } | 'break' | 'flood';
interface Seen {
  route: string;
  query: Record<string, string>;
  body: Json;
  authorization: string | undefined;
}

export interface FakeServer extends AsyncDisposable {
  url: string;
  seen: Seen[];
  stored: Buffer[];
  putHeaders: IncomingMessage['headers'][];
  /** Answers the next calls of a route with these, one each, before it works again. */
  failNext(route: string, ...refusals: Refusal[]): void;
  /** Holds the next call of a route back until `release`. */
  hold(route: string): { arrived: Promise<void>; release(): void };
  routes(): string[];
  tokens: Set<string>;
  build: Json | undefined;
  changes: {
    maxSize?: number;
    answeredSha256?: string;
    signIn?: Json;
    releasedTo?: Json[];
    nextNumber?: number;
    /** The source of the build that is live on every channel; undefined for no build. */
    served?: Json | null;
    overBudget?: number;
    /** A channel that has a release of the build. */
    channelOfBuild?: string;
  };
}

const PAGE = { next_cursor: null };

/** Writes 20 MiB a second until the client closes the connection. */
function flood(response: ServerResponse): void {
  const timer = setInterval(() => response.write(Buffer.alloc(1024 * 1024, 0x20)), 50);
  response.on('close', () => clearInterval(timer));
}

export async function startFakeServer(): Promise<FakeServer> {
  const failures = new Map<string, Refusal[]>();
  const holds = new Map<string, { arrive(): void; released: Promise<void> }>();
  const http = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  let refreshes = 0;
  const fake: FakeServer = {
    url,
    seen: [],
    stored: [],
    putHeaders: [],
    tokens: new Set([TOKEN, 'access-0']),
    build: undefined,
    changes: {},
    failNext: (route, ...refusals) => void failures.set(route, refusals),
    hold(route) {
      const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      holds.set(route, { arrive, released });
      return { arrived, release };
    },
    routes: () => fake.seen.map((one) => one.route),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = new URL(request.url ?? '', url);
    const route = `${request.method} ${target.pathname.replace('/api/v1', '')}`;
    const held = holds.get(route);
    holds.delete(route);
    held?.arrive();
    await held?.released;
    const failure = failures.get(route)?.shift();
    if (failure === 'break') {
      request.socket.destroy();
      return;
    }
    if (failure === 'flood') {
      flood(response);
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    const isApi = target.pathname.startsWith('/api');
    if (isApi && !isUtf8(bytes)) {
      response.writeHead(400).end(JSON.stringify({ error: 'invalid_json', message: 'The body is not valid UTF-8' }));
      return;
    }
    const body = isApi && bytes.length > 0 ? JSON.parse(bytes.toString()) : {};
    const { authorization } = request.headers;
    fake.seen.push({ route, query: Object.fromEntries(target.searchParams), body, authorization });
    if (failure !== undefined) {
      response.writeHead(failure.status, { 'x-request-id': 'req-1', ...failure.headers });
      response.end(typeof failure.body === 'string' ? failure.body : JSON.stringify(failure.body ?? {}));
      return;
    }
    if (target.pathname.startsWith('/storage')) {
      fake.putHeaders.push(request.headers);
      fake.stored.push(bytes);
      response.writeHead(201).end();
      return;
    }
    const isOpen = target.pathname.startsWith('/api/v1/login');
    if (!isOpen && !fake.tokens.has(authorization?.replace('Bearer ', '') ?? '')) {
      response.writeHead(401, { 'x-request-id': 'req-401' });
      response.end(JSON.stringify({ error: 'unauthorized', message: 'Sign in first', details: {} }));
      return;
    }
    const answer = respond(route, body, target.searchParams);
    response.writeHead(answer === undefined ? 404 : 200, { 'x-request-id': 'req-404' });
    response.end(JSON.stringify(answer ?? { error: 'not_found', message: 'There is no such thing', details: {} }));
  }

  function respond(route: string, body: Json, query: URLSearchParams): unknown {
    switch (route) {
      case 'POST /login':
        return fake.changes.signIn ?? tokenResponse(0);
      case 'POST /login/mfa':
        return tokenResponse(0);
      case 'POST /login/refresh':
        refreshes += 1;
        fake.tokens.add(`access-${refreshes}`);
        return tokenResponse(refreshes);
      case 'POST /login/logout':
        return '';
      case 'GET /organizations':
        return [{ identifier: ORGANIZATION, name: 'Acme' }];
      case 'GET /projects':
        return query.has('cursor')
          ? { items: [project(PROJECT, 'Runner', 'android')], next_cursor: null }
          : { items: [project(OTHER_PROJECT, 'Walker', 'ios')], next_cursor: 'page-2' };
      case `GET /projects/${PROJECT}`:
        return project(PROJECT, 'Runner', 'android');
      case `GET /projects/${OTHER_PROJECT}`:
        return project(OTHER_PROJECT, 'Walker', 'ios');
      case 'GET /channels':
        return {
          items: [
            channel(CHANNEL, 'beta', { public: true }),
            channel(PRIVATE_CHANNEL, 'team\u001b[2J', {}),
            channel(AUTO_CHANNEL, 'nightly', { auto_distribute: true }),
          ],
          ...PAGE,
        };
      case 'POST /builds/initiate':
        // What the server reads from the package, that of readApiDemos, if it isn't sent.
        fake.build = { version_name: '5.0.0', build_number: 25, ...body };
        return {
          pending_upload_id: 'pending-1',
          upload_url: `${url}/storage/v1/pending-1?sig=secret`,
          expires_at: '2026-01-31T13:00:00.000Z',
          required_headers: { 'x-ms-blob-type': 'BlockBlob' },
          max_size_bytes: fake.changes.maxSize ?? 524_288_000,
        };
      case 'POST /builds/pending-1/complete':
        return {
          ...buildAnswer(body.sha256),
          released_to: fake.changes.releasedTo ?? [],
          over_budget_bytes: fake.changes.overBudget ?? null,
        };
      case `GET /builds/${BUILD}`:
        return buildAnswer('0'.repeat(64));
      case 'GET /builds':
        return {
          items: [
            buildAnswer('1'.repeat(64)),
            { ...buildAnswer('2'.repeat(64)), revoked_at: '2026-02-01T00:00:00.000Z' },
          ],
          ...PAGE,
        };
      case 'GET /builds/next-number':
        return { build_number: fake.changes.nextNumber ?? 100 };
      case 'GET /builds/device-counts':
        return { items: [{ build_id: BUILD, devices_total: 40, devices_able: 34 }] };
      case `GET /channels/${AUTO_CHANNEL}`:
        return channel(AUTO_CHANNEL, 'nightly', { auto_distribute: true });
      case 'GET /releases/current': {
        if (fake.changes.served === undefined) return [];
        const served = release(CHANNEL, {});
        return [{ ...served, build: { ...(served.build as Json), source: fake.changes.served } }];
      }
      case 'GET /releases/release-1':
        return release(AUTO_CHANNEL, {});
      case 'GET /releases': {
        const channelId = query.get('channel_id') ?? '';
        const isThere = [AUTO_CHANNEL, fake.changes.channelOfBuild].includes(channelId);
        return { items: isThere ? [release(channelId, {})] : [], ...PAGE };
      }
      case 'POST /releases':
        return release(query.get('channel_id') ?? '', body);
      case 'PATCH /releases/release-1':
        return release(AUTO_CHANNEL, body);
      default:
        return undefined;
    }
  }

  function buildAnswer(sha256: unknown): Json {
    return {
      identifier: BUILD,
      organization_id: ORGANIZATION,
      project_id: PROJECT,
      platform: 'android',
      version_name: '1.0',
      build_number: 7,
      ...fake.build,
      sha256: fake.changes.answeredSha256 ?? sha256,
      size_bytes: fake.stored.at(-1)?.length ?? 2048,
      uploaded_at: '2026-01-31T12:00:00.000Z',
      inspection_status: 'ok',
    };
  }

  function release(channelId: string, body: Json): Json {
    return {
      identifier: 'release-1',
      channel_id: channelId,
      state: 'active',
      is_current: true,
      mandatory: body.mandatory === true,
      created_at: '2026-02-01T12:00:00.000Z',
      build: buildAnswer('0'.repeat(64)),
    };
  }

  return fake;
}

function tokenResponse(count: number): Json {
  return {
    access_token: `access-${count}`,
    refresh_token: `refresh-${count}`,
    token_type: 'Bearer',
    expires_in: 600,
    session_id: 's',
  };
}

function project(identifier: string, name: string, platform: string): Json {
  return { identifier, organization_id: ORGANIZATION, name, platform };
}

function channel(identifier: string, name: string, more: Json): Json {
  const install_url = more.public === true ? `https://builds.example.test/install/channels/${identifier}` : null;
  return { identifier, organization_id: ORGANIZATION, project_id: PROJECT, name, public: false, install_url, ...more };
}

/** SHA-256 in hex. */
export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
