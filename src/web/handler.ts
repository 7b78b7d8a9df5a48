// Serves the web app on the raw connection: its document at the app's addresses and its files under /assets/. All other
// requests pass. If the app wasn't built, it serves nothing.

import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basePathOf } from '../config/base-path.ts';
import { sendsEmail } from '../config/sends-email.ts';
import type { App } from '../core/context.ts';
import { ACCESS_COOKIE, cookieValue } from '../http/credentials.ts';
import { NEVER_CHANGES } from '../http/reply.ts';
import { findAsset, isBundled } from '../lib/assets.ts';
import { programName } from '../lib/process.ts';
import { uploadOrigins } from '../storage/open.ts';
import { hasPlainPage, isAppPath } from '../web-paths.ts';
import { acceptedCoding, isKnown } from './answers.ts';
import { writeUploadPolicy } from './upload-policy.ts';

const FOLDER = 'dashboard';
/** Its policy depends on the session. */
const UPLOAD_WORKER = 'upload-worker-';
const ASSETS_PATH = '/assets/';

interface WebDocument {
  body: Buffer;
  etag: string;
}

interface Shipped {
  types: ReadonlyMap<string, string>;
  /**
   * Returns the document, depending on whether the server has its own page at the path and whether the browser has a
   * session.
   */
  document(hasPlain: boolean, hasSession: boolean): WebDocument;
}

/**
 * Returns the handler, which returns true if it responded. Only browser navigations (which accept text/html) get the
 * document, unless they request the plain page of the server with `?plain`.
 */
export function createWebHandler(app: App): (request: IncomingMessage, response: ServerResponse) => boolean {
  let shipped: Shipped | null | undefined;
  const base = basePathOf(app.config);
  const policy = contentSecurityPolicy(app);
  const pageHeaders = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    vary: 'Accept, Cookie',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'x-content-type-options': 'nosniff',
  };

  function answerFile(
    request: IncomingMessage,
    response: ServerResponse,
    { name, type, more = {} }: { name: string; type: string; more?: Record<string, string> },
  ): boolean {
    const coding = acceptedCoding(request.headers);
    const body = findAsset(`${FOLDER}/${name}${coding.suffix}`);
    if (body === undefined) return false;
    response.writeHead(200, {
      'content-type': type,
      'content-length': body.length,
      'cache-control': NEVER_CHANGES,
      'x-content-type-options': 'nosniff',
      'x-request-id': app.ids.next(),
      vary: 'Accept-Encoding',
      ...(coding.name === undefined ? {} : { 'content-encoding': coding.name }),
      ...more,
    });
    response.end(request.method === 'HEAD' ? undefined : body);
    return true;
  }

  /** The policy of its response depends on the session, which takes a moment to read. */
  async function answerUploadWorker(
    request: IncomingMessage,
    response: ServerResponse,
    { name, type, query }: { name: string; type: string; query: string },
  ): Promise<void> {
    const target = new URLSearchParams(query).get('to');
    const uploadPolicy = await writeUploadPolicy(app, request.headers.cookie, target);
    const more = {
      'content-security-policy': uploadPolicy,
      'cache-control': 'no-store',
      vary: 'Accept-Encoding, Cookie',
    };
    if (!answerFile(request, response, { name, type, more })) response.destroy();
  }

  function answerAsset(request: IncomingMessage, response: ServerResponse, name: string, query: string): boolean {
    if (shipped === undefined) shipped = readShipped(app, base) ?? null;
    const type = shipped?.types.get(name);
    if (type === undefined) return false;
    if (!name.startsWith(UPLOAD_WORKER)) return answerFile(request, response, { name, type });
    answerUploadWorker(request, response, { name, type, query }).catch(() => response.destroy());
    return true;
  }

  function answerPage({ method, headers }: IncomingMessage, response: ServerResponse, path: string): boolean {
    // In the source tree the web app is built again while the server runs.
    if (shipped === undefined || !isBundled()) shipped = readShipped(app, base) ?? null;
    if (shipped === null) return false;
    const hasSession = (cookieValue(headers.cookie, ACCESS_COOKIE) ?? '') !== '';
    const { body, etag } = shipped.document(hasPlainPage(path), hasSession);
    const named = { ...pageHeaders, 'content-security-policy': policy, etag, 'x-request-id': app.ids.next() };
    if (isKnown(headers, etag)) {
      response.writeHead(304, named).end();
      return true;
    }
    response.writeHead(200, { ...named, 'content-length': body.length });
    response.end(method === 'HEAD' ? undefined : body);
    return true;
  }

  return function handleWebRequest(request, response) {
    const { method, url = '', headers } = request;
    if (method !== 'GET' && method !== 'HEAD') return false;
    const mark = url.indexOf('?');
    const [path, query] = mark < 0 ? [url, ''] : [url.slice(0, mark), url.slice(mark)];
    if (path.startsWith(ASSETS_PATH)) return answerAsset(request, response, path.slice(ASSETS_PATH.length), query);
    if (!(headers.accept ?? '').includes('text/html') || !isAppPath(path)) return false;
    if (query !== '' && new URLSearchParams(query).has('plain')) return false;
    return answerPage(request, response, path);
  };
}

function readShipped(app: App, base: string): Shipped | undefined {
  const manifest = findAsset(`${FOLDER}/manifest.json`);
  const page = findAsset(`${FOLDER}/index.html`)?.toString('utf8');
  if (manifest === undefined || page === undefined) return undefined;
  const { files }: { files: Record<string, { type: string }> } = JSON.parse(manifest.toString('utf8'));
  const { server, accounts, mail, billing } = app.config;
  const write = (hasPlain: boolean, hasSession: boolean): WebDocument => {
    const values: Record<string, string> = {
      base,
      origin: new URL(server.base_url).origin,
      minimum: String(accounts.password_min_length),
      mail: sendsEmail({ mail }) ? 'yes' : 'no',
      billing: billing.enabled ? 'yes' : 'no',
      payments: billing.enabled && billing.provider !== 'none' ? 'yes' : 'no',
      business: billing.business_self_service ? 'yes' : 'no',
      topup: `${billing.topup_min_cents} ${billing.topup_max_cents}`,
      program: programName(),
      uploads: uploadOrigins(app.config.storage).join(' '),
      session: hasSession ? 'yes' : 'no',
      plain: hasPlain ? '<noscript><meta http-equiv="refresh" content="0; url=?plain"></noscript>\n' : '',
    };
    const body = Buffer.from(page.replace(/\{\{(\w+)\}\}/g, (_, name: string) => escapeValue(values, name)));
    return { body, etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"` };
  };
  const signedOut = { plain: write(true, false), alone: write(false, false) };
  const signedIn = { plain: write(true, true), alone: write(false, true) };
  return {
    types: new Map(Object.entries(files).map(([name, { type }]) => [name, type])),
    document: (hasPlain, hasSession) => (hasSession ? signedIn : signedOut)[hasPlain ? 'plain' : 'alone'],
  };
}

/** Escapes a value for a quoted attribute. `plain` is markup of this file. */
function escapeValue(values: Record<string, string>, name: string): string {
  const value = values[name] ?? '';
  return name === 'plain' ? value : value.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
}

/** Scripts, styles and requests from and to this server only, nothing inline. Uploads may go to the bucket. */
function contentSecurityPolicy({ config }: Pick<App, 'config'>): string {
  const directives: Record<string, string> = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'font-src': "'self'",
    'img-src': "'self' data: blob:",
    'connect-src': ["'self'", ...uploadOrigins(config.storage)].join(' '),
    'worker-src': "'self'",
    'frame-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'none'",
  };
  return Object.entries(directives)
    .map((directive) => directive.join(' '))
    .join('; ');
}
