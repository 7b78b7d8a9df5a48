// createServer: the composition root. Its HTTP server passes file transfers to the storage handler and other requests to operations.
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  maxHeaderSize,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type OpenApp, type Overrides, openApp, startJobs } from './app.ts';
import { downloadMeterOf } from './billing/downloads.ts';
import { createPackageGuard } from './builds/integrity.ts';
import { basePathOf, withoutBasePath } from './config/base-path.ts';
import { type Config, configFrom, configOnPort, type PartialConfig } from './config.ts';
import type { App } from './core/context.ts';
import { scheduleSweeps } from './core/sweeps.ts';
import { systemContext } from './core/transact.ts';
import { addonOf } from './data/addon.ts';
import { createClientAddress } from './http/client-address.ts';
import { watchConnections } from './http/connections.ts';
import { createHttpListener } from './http/http.ts';
import { namesSeveralHosts, toOriginForm } from './http/request-url.ts';
import { replyAnswer } from './http/responses.ts';
import { SECOND } from './lib/clock.ts';
import type { ServerBackend } from './lib/storage-backends.ts';
import { operations } from './operations.ts';
import { createRefusalPages, isNavigation, refusalPage } from './pages/error-page.ts';
import { removeLeftBehind } from './runtime/left-behind.ts';
import { acquireLocks } from './runtime/lock.ts';
import { watchOpenFiles } from './runtime/open-files.ts';
import { isAddressOf, PassedSocketError } from './runtime/passed-sockets.ts';
import { createRoutingHandler } from './storage/handler.ts';
import { isStorageUrl } from './storage/link-request.ts';
import { createStorageHandler, type FinishedTransfer, type ShownRefusal } from './storage/local/handler.ts';
import { localStorageLock } from './storage/local/lock.ts';
import { isAttached, isFolderLost } from './storage/open.ts';
import { saveAttached } from './storage/stored-objects.ts';
import type { Https } from './tls/https.ts';
import { findUploadProject, isUploadOver } from './uploads/service.ts';
import { createDocsHandler } from './web/docs.ts';
import { createExecutableHandler, isExecutableRequest } from './web/executables.ts';
import { createWebHandler } from './web/handler.ts';

export type { Overrides } from './app.ts';
export { type Config, ConfigError, configFrom, loadConfig, type PartialConfig } from './config.ts';

export interface Server {
  app: App;
  /** The URL it listens on, without a trailing slash. */
  url: string;
  /** Begins to listen and to run jobs. Calls after the first do nothing; throws after a stop. */
  start(): Promise<void>;
  /** Finishes running requests (at most 10 s), then closes everything. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Maximum wait for running requests when stopping. */
const STOP_TIMEOUT_MS = 8 * SECOND;
const KEEP_ALIVE_MS = 65 * SECOND;
const HEADERS_TIMEOUT_MS = 30 * SECOND;
/** Bytes of a body that wait in memory until it is read. A client can send each as a chunk, which is then a Buffer of its own. */
const UNREAD_BODY_BYTES = 16 * 1024;
/** The plain http listener only redirects, so it gets this share of the connections. */
const PLAIN_SHARE = 1 / 8;

/**
 * Creates a server from a complete or partial configuration. `start` begins to listen. Port 0 is replaced with a free port
 * immediately, because links contain it. Throws ConfigError, DatabaseTooNewError or a system error.
 */
export async function createServer(config: Config | PartialConfig, overrides: Overrides = {}): Promise<Server> {
  const asked = configFrom(config);
  const options = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    highWaterMark: UNREAD_BODY_BYTES,
    // The listener checks it, to respond with the error envelope.
    requireHostHeader: false,
  };
  // Loaded on demand, because most servers run behind a proxy.
  const secure =
    asked.server.tls.mode === 'off' ? undefined : (await import('./tls/secure-server.ts')).createSecureServer(options);
  const http = secure?.server ?? createHttpServer(options);
  // Uploads have no time limit; bodies of operations have their own.
  http.requestTimeout = 0;
  const sockets = [...(overrides.sockets ?? [])];
  const listenOn = (server: HttpServer, config: Config, portOf: number) =>
    listen(server, config, portOf, sockets.shift());
  const port = asked.server.port === 0 ? await listenOn(http, asked, 0) : asked.server.port;
  const settled = configOnPort(asked, port);
  const opened = await openAlone(settled, overrides).catch((error: unknown) => {
    http.close();
    throw error;
  });
  const { app } = opened;
  const abandon = async (error: unknown): Promise<never> => {
    http.close();
    await opened.close();
    throw error;
  };
  const listener = createHttpListener({
    app,
    clientAddress: createClientAddress(settled.server.trusted_proxies),
    refusalPageAt: createRefusalPages(app),
    operations,
  });
  const base = basePathOf(settled);
  const shared = {
    guard: createPackageGuard(app),
    ids: app.ids,
    takeFile: () => openFiles.take(),
    log: app.log,
    showRefusal({ headers, method = 'GET' }: IncomingMessage, { status, requestId, retryAfter }: ShownRefusal) {
      if (!isNavigation({ header: () => headers.accept })) return undefined;
      const facts = { id: requestId, method, acceptLanguage: headers['accept-language'] ?? null };
      return replyAnswer(app, refusalPage(app, facts, status, retryAfter), status, facts);
    },
    events: {
      // Logged by key, which isn't secret; the URL contains a signature, which is.
      onFinished: ({ requestId, isComplete, ...facts }: FinishedTransfer) =>
        app.log.info({ request_id: requestId, ...facts, complete: isComplete }, 'storage request'),
      onSent: ({ subject, count }: { subject: string; count: number }) => downloadMeterOf(app).note(subject, count),
      onRedirected: ({ subject }: { subject: string }) => downloadMeterOf(app).noteRedirect(subject),
    },
  };
  const { local, s3 } = opened.storage;
  const storageHandlers = new Map<ServerBackend, ReturnType<typeof createStorageHandler>>();
  if (local !== undefined) {
    const handler = createStorageHandler({
      ...shared,
      storage: local,
      maxBodyBytes: settled.limits.build_size_bytes * 2,
      // At least one upload must fit, regardless of the limits.
      bytesPerGroup: Math.max(settled.storage.local.uploading_bytes_per_project, settled.limits.build_size_bytes * 2),
      groupOf: (key) => findUploadProject(app, key),
      isOver: (key) => isUploadOver(app, key),
      accelRedirect: settled.server.accel_redirect,
    });
    storageHandlers.set('local', handler);
  }
  if (s3 !== undefined) {
    const { createLinkHandler } = await import('./storage/s3/handler.ts');
    storageHandlers.set('s3', createLinkHandler({ ...shared, storage: s3 }));
  }
  const verifier = { keyring: app.secrets.keyring, clock: app.clock, ids: app.ids, log: app.log };
  const handleStorageRequest = createRoutingHandler(opened.storage.storage, storageHandlers, verifier);
  const handleWebRequest = createWebHandler(app);
  const handleDocsRequest = createDocsHandler(app);
  const handleExecutable = createExecutableHandler(app);
  const dispatch = (request: IncomingMessage, response: ServerResponse): void => {
    // The listener rejects requests with several hosts for all paths.
    if (namesSeveralHosts(request)) listener(request, response);
    else if (isStorageUrl(request.url)) void handleStorageRequest(request, response);
    else if (isExecutableRequest(request)) {
      void handleExecutable(request, response).then((isHandled) => isHandled || listener(request, response));
    } else if (!handleWebRequest(request, response) && !handleDocsRequest(request, response))
      listener(request, response);
  };
  // Proxies may keep or strip the path of base_url. All following code sees paths without it.
  const ownTarget = ({ url = '' }: IncomingMessage): string => withoutBasePath(toOriginForm(url), base);
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    request.url = ownTarget(request);
    dispatch(request, response);
  };
  const parts = {
    handle,
    options,
    listen: (plain: HttpServer, plainPort: number) => listenOn(plain, settled, plainPort),
  };
  const https = secure && (await (await import('./tls/https.ts')).openHttps(app, secure, parts).catch(abandon));
  if (https !== undefined) app.https = https;
  const connections = watchConnections(http, { isSecure: secure !== undefined });
  const plain = https?.plain;
  const openFiles = watchOpenFiles({
    countConnections: () => connections.count() + (plain?.connections.count() ?? 0),
    limit: overrides.openFilesLimit,
  });
  if (Number.isFinite(openFiles.maxConnections)) {
    const { maxConnections } = openFiles;
    const forPlain = plain === undefined ? 0 : limitPlain(plain, maxConnections);
    http.maxConnections = Math.max(maxConnections - forPlain, 1);
  }
  http.on('connection', () => {
    if (openFiles.isScarce()) connections.closeOldestIdle();
  });
  http.on('request', (request, response) => {
    const hsts = https?.hsts();
    if (hsts !== undefined) response.setHeader('strict-transport-security', hsts);
    handle(request, response);
  });
  // The storage requests the body when it's ready; other operations accept small bodies immediately.
  http.on('checkContinue', (request, response) => {
    if (!isStorageUrl(ownTarget(request))) response.writeContinue();
    http.emit('request', request, response);
  });
  // Unknown expectations are ignored (RFC 9110 section 10.1.1).
  http.on('checkExpectation', (request, response) => http.emit('request', request, response));
  http.on('clientError', (error: Error & { code?: string }, socket) => {
    const broken = error.code === 'ECONNRESET' ? undefined : connections.incompleteRequest(socket);
    if (broken !== undefined) return endBroken(app, error, socket, broken);
    // The request sent more bytes than announced: closing the connection prevents that any of it is stored. On a connection opened
    // in advance, a browser would mistake a response for that of its next request.
    if (connections.isBusy(socket) || connections.isUnused(socket)) socket.destroy();
    else answerClientError(app, error, socket);
  });

  let unschedule: (() => void) | undefined;
  let starting: Promise<void> | undefined;
  let stopping: Promise<void> | undefined;

  async function start(): Promise<void> {
    if (!http.listening) await listenOn(http, settled, port);
    await https?.start(overrides.isScheduleOff === true);
    // Clients that connect to one would wait forever.
    if (sockets.length > 0) app.log.warn({ count: sockets.length }, 'passed sockets without a configured port');
    const { directory } = settled.storage.local;
    if (isFolderLost(settled, app.db.$client)) app.log.error({ directory }, 'the folder of packages is missing');
    else await opened.storage.local?.sweepTemporary();
    saveAttached(systemContext(app));
    startJobs(app);
    app.jobs.wake();
    if (overrides.isScheduleOff !== true) unschedule = scheduleSweeps(app, app.sweeps);
  }

  async function stop(): Promise<void> {
    // What a start opened after this would stay open.
    await starting?.catch(() => undefined);
    unschedule?.();
    try {
      await Promise.all([connections.close(STOP_TIMEOUT_MS), https?.stop(STOP_TIMEOUT_MS)]);
    } finally {
      await opened.close();
    }
  }

  const startOnce = async () => {
    if (stopping !== undefined)
      throw new Error('the server was stopped: create another one instead of starting it again');
    starting ??= start().catch((error: unknown) => {
      // Another try may find the port free.
      starting = undefined;
      throw error;
    });
    await starting;
  };
  const stopOnce = () => {
    stopping ??= stop();
    return stopping;
  };
  return { app, url: listenUrl(settled), start: startOnce, stop: stopOnce, [Symbol.asyncDispose]: stopOnce };
}

/** Limits the connections of the plain http listener to its share, and closes idle ones early. Returns the limit. */
function limitPlain({ server, connections }: NonNullable<Https['plain']>, maxConnections: number): number {
  const max = Math.max(Math.floor(maxConnections * PLAIN_SHARE), 1);
  server.maxConnections = max;
  server.on('connection', () => {
    if (connections.count() > max / 2) connections.closeOldestIdle();
  });
  return max;
}

/** Opens the app as the only server of its database and storage, and cleans up what previous servers left. */
async function openAlone(config: Config, overrides: Overrides): Promise<OpenApp> {
  const { file } = config.database;
  const addon = addonOf(config);
  const folders = isAttached(config, 'local') ? [localStorageLock(config)] : [];
  const release = acquireLocks([{ lockFile: `${file}.lock`, name: `the database ${file}` }, ...folders], addon);
  try {
    removeLeftBehind(file, addon);
    const opened = await openApp(config, { ...overrides, isServing: true }, addon);
    return {
      ...opened,
      close: () => opened.close().finally(release),
    };
  } catch (error) {
    release();
    throw error;
  }
}

function listenUrl({ server }: Config): string {
  const scheme = server.tls.mode === 'off' ? 'http' : 'https';
  const host = server.host === '0.0.0.0' ? '127.0.0.1' : server.host === '::' ? '[::1]' : server.host;
  return `${scheme}://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${server.port}`;
}

/** Listens on a passed socket, or on the configured address, and returns the port. Throws PassedSocketError. */
function listen(http: HttpServer, { server }: Config, port: number, socket: number | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen(socket === undefined ? { host: server.host, port } : { fd: socket }, () => {
      http.off('error', reject);
      const address = http.address() as AddressInfo | string | null;
      const actual = typeof address === 'object' ? address?.port : undefined;
      const isOurs =
        socket === undefined || (typeof address === 'object' && isAddressOf(server.host, address?.address));
      if (actual !== undefined && isOurs && (port === 0 || actual === port)) resolve(actual);
      else {
        http.close();
        reject(
          new PassedSocketError(
            `the service manager passed a socket for ${describeAddress(address)} instead of ${describePlace(server.host, port)}; ` +
              'the addresses and ports in taxiway.socket and in the configuration have to be the same',
          ),
        );
      }
    });
  });
}

function describeAddress(address: AddressInfo | string | null): string {
  return typeof address === 'object' && address !== null ? describePlace(address.address, address.port) : 'no TCP port';
}

const describePlace = (host: string, port: number): string => `port ${port} of ${host}`;

/** Answers a request with an unparsable body, such as a malformed chunk size, with 400 unless it was already answered. */
function endBroken(app: App, error: Error, socket: Duplex, response: ServerResponse): void {
  if (response.headersSent && !response.writableFinished) response.once('finish', () => socket.end());
  else if (response.writableFinished) socket.end();
  // Responses of one connection are sent in order, and this one isn't first.
  else if (response.socket !== socket) socket.destroy();
  else answerClientError(app, error, socket);
}

/** Unparsable requests get the error envelope too. */
function answerClientError({ ids, log }: App, error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, code, message] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? [
          '431 Request Header Fields Too Large',
          'payload_too_large',
          `The headers, with the address, can have at most ${maxHeaderSize} bytes`,
        ]
      : ['400 Bad Request', 'invalid_input', "The request can't be parsed"];
  const requestId = ids.next();
  log.info({ request_id: requestId, status: Number.parseInt(status, 10), reason: error.code }, 'unreadable request');
  const body = JSON.stringify({ error: code, message, details: {} });
  const headers = [
    'Content-Type: application/json',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
}
