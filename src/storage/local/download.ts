// GET and HEAD of one object: headers, conditions, ranges, and the bytes.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ObjectHead } from '../../core/storage.ts';
import { formatAttachment, safeMediaType } from '../attachment.ts';
import { damagedObject, ProviderError } from '../provider-error.ts';
import type { ReadGuard } from '../read-guard.ts';
import { readChunks, sendChunks } from '../send-chunks.ts';
import type { StorageGrant } from '../signature.ts';
import type { LocalStorage } from './backend.ts';
import { evaluateConditions, formatModified, isRangeValid } from './conditions.ts';
import { parseRange } from './ranges.ts';

/**
 * Sends the object of a grant. Throws ProviderError 404, 412 and 416, and 503 if the guard reports that the object is damaged.
 * If the hash of the sent bytes doesn't match, the connection is closed before the last chunk.
 */
export async function sendObject(
  req: IncomingMessage,
  res: ServerResponse,
  options: {
    storage: LocalStorage;
    grant: StorageGrant;
    accelRedirect: string;
    idleTimeoutMs: number;
    guard?: ReadGuard | undefined;
    onStart: (head: ObjectHead, first: number) => void;
    onBytes: (count: number) => void;
  },
): Promise<void> {
  const { grant } = options;
  const object = await options.storage.openObject(grant.key);
  if (object === undefined) throw new ProviderError(404, 'BlobNotFound', "The object doesn't exist.");
  const { handle, head } = object;
  try {
    const verdict = options.guard?.(grant.key, head);
    if (verdict?.isIntact === false) throw damagedObject();
    setObjectHeaders(res, grant);
    if (options.accelRedirect !== '') {
      // The proxy evaluates conditions and ranges itself, with its own tags.
      res.setHeader('X-Accel-Redirect', `${options.accelRedirect.replace(/\/+$/, '')}/${grant.key}`);
      if (req.method === 'GET') {
        options.onStart(head, 0);
        options.onBytes(countAsked(req, head));
      }
      res.writeHead(200);
      res.end();
      return;
    }
    const outcome = evaluateConditions(req.headers, head);
    if (outcome === 'failed')
      throw new ProviderError(412, 'ConditionNotMet', 'The condition of the request is not met.');
    res.setHeader('ETag', head.etag);
    res.setHeader('Last-Modified', formatModified(head));
    res.setHeader('Accept-Ranges', 'bytes');
    if (outcome === 'not_modified') {
      res.writeHead(304);
      res.end();
      return;
    }
    const { first, end } = chooseBytes(req, res, head);
    res.setHeader('Content-Length', end - first);
    if (req.method === 'HEAD') {
      res.end();
      return;
    }
    options.onStart(head, first);
    const hash = first === 0 && end === head.size ? verdict?.beginHash?.() : undefined;
    const { idleTimeoutMs, onBytes } = options;
    await sendChunks(res, readChunks(handle, { first, end }), { length: end - first, idleTimeoutMs, hash, onBytes });
  } catch (error) {
    for (const name of ['Content-Disposition', 'ETag', 'Last-Modified']) if (!res.headersSent) res.removeHeader(name);
    throw error;
  } finally {
    await handle.close();
  }
}

function setObjectHeaders(res: ServerResponse, grant: StorageGrant): void {
  res.setHeader('Content-Type', safeMediaType(grant.contentType));
  res.setHeader('Content-Disposition', formatAttachment(grant.fileName));
  // Uploaded content must never run as a page of this origin.
  res.setHeader('Content-Security-Policy', "sandbox; default-src 'none'");
  res.setHeader('Cache-Control', 'private, no-cache, no-transform');
}

/** Returns the bytes to send, `end` exclusive, and sets status 200 or 206. HEAD has no ranges (RFC 9110, section 14.2). */
function chooseBytes(req: IncomingMessage, res: ServerResponse, head: ObjectHead): { first: number; end: number } {
  const isPartial = req.method === 'GET' && isRangeValid(headerText(req.headers['if-range']), head);
  const range = parseRange(isPartial ? req.headers.range : undefined, head.size);
  if (range.kind === 'unsatisfiable') {
    throw new ProviderError(416, 'InvalidRange', 'The range is outside the object.', {
      'Content-Range': `bytes */${head.size}`,
    });
  }
  if (range.kind === 'whole') return { first: 0, end: head.size };
  res.statusCode = 206;
  res.setHeader('Content-Range', `bytes ${range.first}-${range.last}/${head.size}`);
  return { first: range.first, end: range.last + 1 };
}

/** Returns how many bytes the proxy is asked to send: all of them if nginx ignores the range. */
function countAsked({ headers }: IncomingMessage, head: ObjectHead): number {
  const { size, modifiedAt } = head;
  // nginx compares If-Range with its own tag, and takes no space before the equals sign.
  const etag = `"${Math.floor(modifiedAt.getTime() / 1000).toString(16)}-${size.toString(16)}"`;
  const isPartial =
    /^bytes=/i.test(headers.range ?? '') && isRangeValid(headerText(headers['if-range']), { ...head, etag });
  const range = parseRange(isPartial ? headers.range : undefined, size);
  if (range.kind === 'unsatisfiable') return 0;
  return range.kind === 'whole' ? size : range.last + 1 - range.first;
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}
