// Serves the documentation under /docs/ on the raw connection. It contains no data, so it needs no session and works before the
// setup. If the documentation wasn't built, it serves nothing.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { basePathOf } from '../config/base-path.ts';
import type { App } from '../core/context.ts';
import { NEVER_CHANGES } from '../http/reply.ts';
import { findAsset, isBundled } from '../lib/assets.ts';
import { acceptedCoding, type Coding, isKnown } from './answers.ts';

const FOLDER = 'docs';
const DOCS_PATH = '/docs';
const noCoding: Coding = { suffix: '' };

interface DocsFile {
  type: string;
  etag: string;
  isNamedByContent: boolean;
}

interface Shipped {
  files: ReadonlyMap<string, DocsFile>;
  isCompressed: boolean;
}

/**
 * Everything from this server, nothing inline. The reference of the API sends requests to this server. The pages repeat it for other web servers (scripts/lib/docs/layout.ts).
 */
const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; " +
    "form-action 'self'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
};

/** Returns the handler, which returns true if it responded. */
export function createDocsHandler(app: App): (request: IncomingMessage, response: ServerResponse) => boolean {
  let shipped: Shipped | null | undefined;
  const base = basePathOf(app.config);

  function answerFile(
    { method, headers }: IncomingMessage,
    response: ServerResponse,
    { files, isCompressed }: Shipped,
    name: string,
  ): boolean {
    const file = files.get(name);
    if (file === undefined) return false;
    const isPlain = !isCompressed || file.type.startsWith('image/png');
    const coding = isPlain ? noCoding : acceptedCoding(headers);
    const body = findAsset(`${FOLDER}/${name}${coding.suffix}`);
    if (body === undefined) return false;
    const etag = `"${file.etag}${coding.suffix}"`;
    const described = {
      ...commonHeaders(app),
      ...(file.type.startsWith('text/html') ? pageHeaders : {}),
      'cache-control': file.isNamedByContent ? NEVER_CHANGES : 'no-cache',
      vary: 'Accept-Encoding',
      etag,
    };
    if (isKnown(headers, etag)) {
      response.writeHead(304, described).end();
      return true;
    }
    response.writeHead(200, {
      ...described,
      'content-type': file.type,
      'content-length': body.length,
      ...(coding.name === undefined ? {} : { 'content-encoding': coding.name }),
    });
    response.end(method === 'HEAD' ? undefined : body);
    return true;
  }

  return function handleDocsRequest(request, response) {
    const { method, url = '' } = request;
    if ((method !== 'GET' && method !== 'HEAD') || !url.startsWith(DOCS_PATH)) return false;
    const [path = ''] = url.split('?');
    if (path !== DOCS_PATH && !path.startsWith(`${DOCS_PATH}/`)) return false;
    // In the source tree the documentation is built again while the server runs.
    if (shipped === undefined || !isBundled()) shipped = readShipped() ?? null;
    if (shipped === null) return false;

    const name = path.slice(DOCS_PATH.length + 1);
    const moved = path === DOCS_PATH ? '' : findMoved(shipped, name);
    if (moved === undefined) return answerFile(request, response, shipped, nameOf(name));
    const location = `${base}${DOCS_PATH}/${moved}`;
    response.writeHead(302, { location, 'cache-control': 'no-cache', ...commonHeaders(app) }).end();
    return true;
  };
}

function commonHeaders(app: App) {
  return {
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-request-id': app.ids.next(),
  };
}

function readShipped(): Shipped | undefined {
  const manifest = findAsset(`${FOLDER}/manifest.json`);
  if (manifest === undefined) return undefined;
  const { files, isCompressed }: { files: Record<string, DocsFile>; isCompressed: boolean } = JSON.parse(
    manifest.toString('utf8'),
  );
  return { files: new Map(Object.entries(files)), isCompressed };
}

/** The file of an address: a folder has the page `index.html`. */
function nameOf(name: string): string {
  return name === '' || name.endsWith('/') ? `${name}index.html` : name;
}

function isIn({ files }: Shipped, name: string): boolean {
  return files.has(nameOf(name));
}

/** Returns the page for an address that was typed without its ending. */
function findMoved(shipped: Shipped, name: string): string | undefined {
  if (isIn(shipped, name)) return undefined;
  const plain = name.replace(/\/$/, '');
  return [`${plain}.html`, `${plain}/`].find((candidate) => isIn(shipped, candidate));
}
