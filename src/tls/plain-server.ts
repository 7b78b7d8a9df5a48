// The listener for plain http beside https: answers challenges of authorities, offers the trust page, redirects the rest.
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { basePathOf, withoutBasePath } from '../config/base-path.ts';
import type { App } from '../core/context.ts';
import { isTrustPath } from '../trust/paths.ts';

export interface HttpAnswers {
  answerHttp(token: string, keyAuthorization: string): () => void;
  find(token: string): string | undefined;
}

export type Handle = (request: IncomingMessage, response: ServerResponse) => void;

const CHALLENGE_PATH = /^\/\.well-known\/acme-challenge\/([\w-]{1,256})$/;

/** The answers to HTTP-01 challenges that are open (RFC 8555 section 8.3). */
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

/** A server that does not listen yet. `handle` serves a request as https would. */
export function createPlainServer(app: App, answers: HttpAnswers, handle: Handle, options: ServerOptions): Server {
  const base = basePathOf(app.config);
  const isTrustOffered = app.config.server.tls.mode === 'internal';
  return createServer(options, (request, response) => {
    const target = readTarget(request.url ?? '');
    const [path = ''] = target.split('?');
    const own = withoutBasePath(target, base);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const [, token] = CHALLENGE_PATH.exec(path) ?? [];
    if (token !== undefined && isRead) answerChallenge(response, answers.find(token));
    else if (isTrustOffered && isRead && isTrustPath(own.split('?')[0] ?? '')) handle(request, response);
    else redirect(response, `${app.config.server.base_url}${own}`, isRead);
  });
}

/** Path and query of a request; one in absolute form names a scheme and a host before (RFC 9112 section 3.2.2). */
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

/** To the configured address, never to the one that the client named. Not kept: a server can go back to http. */
function redirect(response: ServerResponse, location: string, isRead: boolean): void {
  response.writeHead(isRead ? 301 : 308, {
    location,
    'content-length': 0,
    'cache-control': 'no-store',
    // A body that follows is not waited for.
    ...(isRead ? {} : { connection: 'close' }),
  });
  response.end();
}
