// Sends the executables under /cli/executables/ on the raw connection, because they're streamed.
import { open } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { executablesOf } from '../cli/executables.ts';
import { cliPaths } from '../cli/files.ts';
import type { App } from '../core/context.ts';
import { SECOND } from '../lib/clock.ts';
import { readChunks, sendChunks } from '../storage/send-chunks.ts';
import { isKnown } from './answers.ts';

/** Each download holds a file open. Further requests at the same time are rejected with Retry-After. */
const MAX_DOWNLOADS = 32;
/** A client that accepts nothing for this long is disconnected, so that it doesn't keep its place. */
const IDLE_MS = 60 * SECOND;

/** Returns the handler, which returns true if it responds. Unknown names are left to the operations, which have the error page. */
export function createExecutableHandler(
  app: App,
  idleTimeoutMs = IDLE_MS,
): (request: IncomingMessage, response: ServerResponse) => Promise<boolean> {
  let running = 0;

  return async function handleExecutable(request, response) {
    const [path = ''] = (request.url ?? '').split('?');
    const file = await executablesOf(app).find(path.slice(cliPaths.executables.length));
    if (file === undefined) return false;
    const headers = {
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-request-id': app.ids.next(),
    };
    const etag = `"${file.bytes.toString(36)}-${Math.trunc(file.modifiedAt).toString(36)}"`;
    if (isKnown(request.headers, etag)) {
      response.writeHead(304, { ...headers, 'cache-control': 'no-cache', etag }).end();
      return true;
    }
    if (running >= MAX_DOWNLOADS) {
      response.writeHead(503, { ...headers, 'retry-after': '30' }).end();
      return true;
    }
    response.writeHead(200, {
      ...headers,
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${file.name}"`,
      'content-length': file.bytes,
      'cache-control': 'no-cache',
      etag,
    });
    if (request.method === 'HEAD' || file.bytes === 0) {
      response.end();
      return true;
    }
    running += 1;
    try {
      await using handle = await open(file.path);
      // Exactly the announced bytes, even if the file is replaced while it is sent.
      const range = { first: 0, end: file.bytes };
      await sendChunks(response, readChunks(handle, range), { length: file.bytes, idleTimeoutMs });
    } catch {
      response.destroy();
    } finally {
      running -= 1;
    }
    return true;
  };
}

/** Whether a request is for an executable. */
export function isExecutableRequest({ method, url = '' }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && url.startsWith(cliPaths.executables);
}
