// Passes requests of storage links to the backend of their object.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RoutedStorage } from '../core/storage.ts';
import type { StorageBackend } from '../lib/storage-backends.ts';
import { findKey, type LinkVerifier, readGrant } from './link-request.ts';
import { answerRefusal, ProviderError } from './provider-error.ts';

type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/**
 * Creates the handler for requests under /storage/v1/. The returned promise never rejects. A request without a valid link goes
 * to the backend for new objects, which refuses it.
 */
export function createRoutingHandler(
  storage: RoutedStorage,
  handlers: ReadonlyMap<StorageBackend, Handler>,
  options: LinkVerifier & { ids: { next(): string }; log: { error(fields: object, message: string): void } },
): Handler {
  const home = handlers.get(storage.backend);
  if (home === undefined) throw new Error('the backend for new objects has no handler');

  return async function handleStorageLink(req, res) {
    const key = findKey(req.url ?? '');
    if (key === undefined) return home(req, res);
    const isAtHome = storage.attached.size === 1 && storage.backendOf(key) === storage.backend;
    if (isAtHome || !isGranted(req)) return home(req, res);
    try {
      // Only links to the folder are for uploads here, also those that were signed before another backend was configured.
      const backend = req.method === 'PUT' ? 'local' : await storage.locate(key);
      const handler = handlers.get(backend) ?? (req.method === 'PUT' ? home : undefined);
      if (handler !== undefined) return await handler(req, res);
    } catch (error) {
      options.log.error({ key, err: error }, 'the backend of an object is unavailable');
    }
    res.setHeader('X-Request-Id', options.ids.next());
    const message = 'The storage is temporarily unavailable.';
    answerRefusal(req, res, new ProviderError(503, 'ServerBusy', message, { 'Retry-After': '5' }));
  };

  function isGranted(req: IncomingMessage): boolean {
    try {
      readGrant(req, options, ['GET', 'HEAD', 'PUT']);
      return true;
    } catch {
      return false;
    }
  }
}
