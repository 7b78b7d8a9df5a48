// Passes requests of storage links to the backend of their object.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RoutedStorage, Storage } from '../core/storage.ts';
import { containerOf, type ServerBackend } from '../lib/storage-backends.ts';
import { findKey, type LinkVerifier, readGrant } from './link-request.ts';
import { answerRefusal, ProviderError } from './provider-error.ts';
import type { StorageGrant } from './signature.ts';

type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/**
 * Creates the handler for requests under /storage/v1/. The returned promise never rejects. A request without a valid link goes
 * to the backend for new objects, which refuses it.
 */
export function createRoutingHandler(
  storage: RoutedStorage,
  handlers: ReadonlyMap<ServerBackend, Handler>,
  options: LinkVerifier & { ids: { next(): string }; log: { error(fields: object, message: string): void } },
): Handler {
  const home = handlers.get(storage.backend);
  if (home === undefined) throw new Error('the backend for new objects has no handler');

  return async function handleStorageLink(req, res) {
    const key = findKey(req.url ?? '');
    if (key === undefined) return home(req, res);
    try {
      const isAtHome = storage.attached.size === 1 && storage.placeOf(key) === storage.backend;
      const grant = isAtHome ? undefined : findGrant(req);
      if (grant === undefined) return await home(req, res);
      // Only links to the folder are for uploads here, also those that were signed before another backend was configured.
      const place = req.method === 'PUT' ? 'local' : await storage.locate(key);
      if (containerOf(place) !== undefined) return await redirect(res, storage.at(place), grant);
      // Throws for one that isn't configured anymore.
      if (req.method !== 'PUT') storage.at(place);
      const handler = handlers.get(place as ServerBackend) ?? (req.method === 'PUT' ? home : undefined);
      if (handler !== undefined) return await handler(req, res);
    } catch (error) {
      options.log.error({ key, err: error }, 'the backend of an object is unavailable');
    }
    res.setHeader('X-Request-Id', options.ids.next());
    const message = 'The storage is temporarily unavailable.';
    answerRefusal(req, res, new ProviderError(503, 'ServerBusy', message, { 'Retry-After': '5' }));
  };

  /** Leads to the container that the object was moved to since the link was signed. */
  async function redirect(res: ServerResponse, container: Storage, grant: StorageGrant): Promise<void> {
    const { key, subject, fileName, contentType } = grant;
    const expiresAt = new Date(Number(grant.expires) * 1000);
    const { url } = await container.signGet({ key, expiresAt, subject, fileName, contentType });
    res.setHeader('X-Request-Id', options.ids.next());
    res.setHeader('Referrer-Policy', 'no-referrer');
    res.writeHead(302, { Location: url, 'Cache-Control': 'no-store', 'Content-Length': 0 });
    res.end();
  }

  function findGrant(req: IncomingMessage): StorageGrant | undefined {
    try {
      return readGrant(req, options, ['GET', 'HEAD', 'PUT']);
    } catch {
      return undefined;
    }
  }
}
