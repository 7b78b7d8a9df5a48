// createServer: the only wiring. An HTTP server that hands bytes to the storage handler and everything else to operations.
import {
  createServer as createHttpServer,
  type Server as HttpServer,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { type OpenApp, type Overrides, openApp, startJobs } from './app.ts';
import { createPackageGuard } from './builds/integrity.ts';
import { basePathOf, withoutBasePath } from './config/base-path.ts';
import { type Config, configFrom, configOnPort, type PartialConfig } from './config.ts';
import type { App } from './core/context.ts';
import { scheduleSweeps } from './core/sweeps.ts';
import { createClientAddress } from './http/client-address.ts';
import { watchConnections } from './http/connections.ts';
import { createHttpListener, namesSeveralHosts } from './http/http.ts';
import { replyAnswer } from './http/responses.ts';
import { sqliteAddon } from './lib/assets.ts';
import { SECOND } from './lib/clock.ts';
import { operations } from './operations.ts';
import { createRefusalPages, isNavigation, refusalPage } from './pages/error-page.ts';
import { acquireLocks } from './runtime/lock.ts';
import { watchOpenFiles } from './runtime/open-files.ts';
import { createStorageHandler, isStorageUrl } from './storage/local/handler.ts';
import { findUploadProject } from './uploads/service.ts';
import { createWebHandler } from './web/handler.ts';

export type { Overrides } from './app.ts';
export { type Config, ConfigError, configFrom, loadConfig, type PartialConfig } from './config.ts';

export interface Server {
  app: App;
  /** Where it listens, without a slash at the end. */
  url: string;
  start(): Promise<void>;
  /** Finishes running requests (10 s at most), then closes everything. */
  stop(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Longest wait for running requests at a stop. */
const STOP_PATIENCE_MS = 8 * SECOND;
const KEEP_ALIVE_MS = 65 * SECOND;
const HEADERS_TIMEOUT_MS = 30 * SECOND;

/**
 * Builds a server from a configuration: a whole one, or any subset of it over the defaults. `start` listens. Port 0 takes
 * a free port at once, because links need to know it. Throws ConfigError, DatabaseTooNewError or a system error.
 */
export async function createServer(config: Config | PartialConfig, overrides: Overrides = {}): Promise<Server> {
  const asked = configFrom(config);
  const options = {
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    // Refused by the listener, in the envelope.
    requireHostHeader: false,
  };
  // Loaded where it is used: most servers have a proxy in front.
  const secure =
    asked.server.tls.mode === 'off' ? undefined : (await import('./tls/secure-server.ts')).createSecureServer(options);
  const http = secure?.server ?? createHttpServer(options);
  // Uploads take as long as they take; the bodies of operations have their own limit.
  http.requestTimeout = 0;
  const port = asked.server.port === 0 ? await listen(http, asked, 0) : asked.server.port;
  const settled = configOnPort(asked, port);
  const opened = await openAlone(settled, overrides).catch((error: unknown) => {
    http.close();
    throw error;
  });
  const { app, localStorage } = opened;
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
  const handleStorageRequest = createStorageHandler({
    storage: localStorage,
    ids: app.ids,
    maxBodyBytes: settled.limits.build_size_bytes * 2,
    // One upload always fits, whatever the limits are.
    bytesPerGroup: Math.max(settled.storage.local.uploading_bytes_per_project, settled.limits.build_size_bytes * 2),
    groupOf: (key) => findUploadProject(app, key),
    guard: createPackageGuard(app),
    takeFile: () => openFiles.take(),
    accelRedirect: settled.server.accel_redirect,
    log: app.log,
    showRefusal({ headers }, { status, requestId, retryAfter }) {
      if (!isNavigation({ header: () => headers.accept })) return undefined;
      const facts = { id: requestId, acceptLanguage: headers['accept-language'] ?? null };
      return replyAnswer(app, refusalPage(app, facts, status, retryAfter), status, facts);
    },
    events: {
      // Named by its key, which is no secret; the signature in its address is one.
      onFinished: ({ requestId, isComplete, ...facts }) =>
        app.log.info({ request_id: requestId, ...facts, complete: isComplete }, 'storage request'),
    },
  });
  const handleWebRequest = createWebHandler(app);
  const dispatch = (request: IncomingMessage, response: ServerResponse): void => {
    // The listener refuses a request of several hosts, whatever it asks for.
    if (namesSeveralHosts(request)) listener(request, response);
    else if (isStorageUrl(request.url)) void handleStorageRequest(request, response);
    else if (!handleWebRequest(request, response)) listener(request, response);
  };
  // Proxies keep the path of base_url or take it away. Everything behind this line knows addresses without it.
  const dispatchUnder = (request: IncomingMessage, response: ServerResponse): void => {
    request.url = withoutBasePath(request.url ?? '', base);
    dispatch(request, response);
  };
  const handle = base === '' ? dispatch : dispatchUnder;
  const parts = {
    handle,
    options,
    listen: (plain: HttpServer, plainPort: number) => listen(plain, settled, plainPort),
  };
  const https = secure && (await (await import('./tls/https.ts')).openHttps(app, secure, parts).catch(abandon));
  if (https !== undefined) app.https = https;
  const connections = watchConnections(http);
  const openFiles = watchOpenFiles({ countConnections: () => connections.count(), limit: overrides.openFilesLimit });
  if (Number.isFinite(openFiles.mostConnections)) http.maxConnections = openFiles.mostConnections;
  http.on('connection', () => {
    if (openFiles.isScarce()) connections.closeOldestIdle();
  });
  http.on('request', (request, response) => {
    const hsts = https?.hsts();
    if (hsts !== undefined) response.setHeader('strict-transport-security', hsts);
    handle(request, response);
  });
  // The storage asks for a body only when it wants it; everything else takes bodies that are small.
  http.on('checkContinue', (request, response) => {
    if (!isStorageUrl(withoutBasePath(request.url ?? '', base))) response.writeContinue();
    http.emit('request', request, response);
  });
  // An expectation that nobody knows is not met, and no reason to refuse (RFC 9110 section 10.1.1).
  http.on('checkExpectation', (request, response) => http.emit('request', request, response));
  http.on('clientError', (error: Error & { code?: string }, socket) => {
    const broken = error.code === 'ECONNRESET' ? undefined : connections.incompleteRequest(socket);
    if (broken !== undefined) return endBroken(app, error, socket, broken);
    // Bytes beyond what a request announced: cut it off, so that nothing of it becomes visible. And a browser takes what is
    // written to a connection that it opened ahead for the answer to the request that it sends there later.
    if (connections.isBusy(socket) || connections.isUnused(socket)) socket.destroy();
    else answerClientError(app, error, socket);
  });

  let unschedule: (() => void) | undefined;
  let stopping: Promise<void> | undefined;

  async function start(): Promise<void> {
    if (!http.listening) await listen(http, settled, port);
    await https?.start(overrides.isScheduleOff === true);
    await localStorage.sweepTemporary();
    startJobs(app);
    app.jobs.wake();
    if (overrides.isScheduleOff !== true) unschedule = scheduleSweeps(app, app.sweeps);
  }

  async function stop(): Promise<void> {
    unschedule?.();
    await Promise.all([connections.close(STOP_PATIENCE_MS), https?.stop(STOP_PATIENCE_MS)]);
    await opened.close();
  }

  const stopOnce = () => {
    stopping ??= stop();
    return stopping;
  };
  return { app, url: listenUrl(settled), start, stop: stopOnce, [Symbol.asyncDispose]: stopOnce };
}

/** Opens the app as the only server of its database and storage: both are cleaned of what ended servers left. */
async function openAlone(config: Config, overrides: Overrides): Promise<OpenApp> {
  const { file } = config.database;
  const { directory } = config.storage.local;
  const release = acquireLocks(
    [
      { lockFile: `${file}.lock`, name: `the database ${file}` },
      { lockFile: join(directory, 'server.lock'), name: `the storage folder ${directory}` },
    ],
    sqliteAddon([join(config.server.data_dir, '.runtime')]),
  );
  try {
    const opened = await openApp(config, { ...overrides, isServing: true });
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

function listen(http: HttpServer, { server }: Config, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    http.once('error', reject);
    http.listen({ host: server.host, port }, () => {
      http.off('error', reject);
      resolve((http.address() as AddressInfo).port);
    });
  });
}

/** A request whose body can't be parsed, such as one with a malformed chunk size: 400, unless it has its answer already. */
function endBroken(app: App, error: Error, socket: Duplex, response: ServerResponse): void {
  if (response.headersSent && !response.writableFinished) response.once('finish', () => socket.end());
  else if (response.writableFinished) socket.end();
  // Answers of one connection go out in order, and this one isn't first.
  else if (response.socket !== socket) socket.destroy();
  else answerClientError(app, error, socket);
}

/** What cannot be parsed as HTTP gets the envelope too. */
function answerClientError({ ids, log }: App, error: Error & { code?: string }, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, code] =
    error.code === 'HPE_HEADER_OVERFLOW'
      ? ['431 Request Header Fields Too Large', 'payload_too_large']
      : ['400 Bad Request', 'invalid_input'];
  const requestId = ids.next();
  log.info({ request_id: requestId, status: Number.parseInt(status, 10), reason: error.code }, 'unreadable request');
  const body = JSON.stringify({ error: code, message: 'This is not a request that can be read', details: {} });
  const headers = [
    'Content-Type: application/json',
    'X-Content-Type-Options: nosniff',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ];
  socket.end(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n${body}`);
}
