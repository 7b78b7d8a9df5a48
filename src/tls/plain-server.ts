// The plain http listener next to https: answers ACME challenges, serves the trust page, redirects other requests.
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { basePathOf, withoutBasePath } from '../config/base-path.ts';
import type { App } from '../core/context.ts';
import { isTrustPath, trustPaths } from '../trust/paths.ts';

export interface HttpAnswers {
  answerHttp(token: string, keyAuthorization: string): () => void;
  find(token: string): string | undefined;
}

export type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const CHALLENGE_PATH = /^\/\.well-known\/acme-challenge\/([\w-]{1,256})$/;

/** Returns the responses to open HTTP-01 challenges (RFC 8555 section 8.3). */
export function createHttpAnswers(): HttpAnswers {
  const answers = new Map<string, string>();
  return {
    answerHttp(token, keyAuthorization) {
      answers.set(token, keyAuthorization);
      return () => answers.delete(token);
    },
    find: (token) => answers.get(token),
  };
}

/** Creates a server that isn't listening yet. `handle` handles a request like https does. */
export function createPlainServer(app: App, answers: HttpAnswers, handle: Handle, options: ServerOptions): Server {
  const base = basePathOf(app.config);
  const isTrustOffered = app.config.server.tls.mode === 'internal';
  return createServer(options, (request, response) => {
    const target = readTarget(request.url ?? '');
    const [path = ''] = target.split('?');
    const own = withoutBasePath(target, base);
    const [ownPath = ''] = own.split('?');
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const [, token] = CHALLENGE_PATH.exec(path) ?? [];
    if (token !== undefined && isRead) answerChallenge(response, answers.find(token));
    else if (isTrustOffered && isRead && isTrustPath(ownPath)) handle(request, response);
    // People also type it with a slash. The redirect of https would lead to a certificate that they don't trust yet.
    else if (isTrustOffered && isRead && ownPath === `${trustPaths.page}/`) {
      request.url = trustPaths.page;
      handle(request, response);
    } else redirect(response, `${app.config.server.base_url}${own}`, isRead);
  });
}

/** Returns path and query of a request. The absolute form has a scheme and host before them (RFC 9112 section 3.2.2). */
function readTarget(url: string): string {
  const target = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return target.startsWith('/') ? target : `/${target.startsWith('?') ? target : ''}`;
}

function answerChallenge(response: ServerResponse, keyAuthorization: string | undefined): void {
  const body = keyAuthorization ?? 'No challenge is open with this token.\n';
  response.writeHead(keyAuthorization === undefined ? 404 : 200, {
    'content-type': keyAuthorization === undefined ? 'text/plain; charset=utf-8' : 'application/octet-stream',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
  });
  response.end(body);
}

/**
 * Redirects to the configured host, never to the one in the request. Browsers don't cache it (`no-store`), because a
 * server can return to http.
 */
function redirect(response: ServerResponse, location: string, isRead: boolean): void {
  response.writeHead(isRead ? 301 : 308, {
    location,
    'content-length': 0,
    'cache-control': 'no-store',
    // The connection is closed instead of waiting for a body.
    ...(isRead ? {} : { connection: 'close' }),
  });
  response.end();
}
