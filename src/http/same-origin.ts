// Where a request comes from: what acts by cookie must come from our own pages
// (docs/specification/conventions.md#cookies-and-origin).
import type { App } from '../core/context.ts';
import { AppError } from '../lib/errors.ts';

type Header = (name: string) => string | undefined;

function foreignOrigin(): AppError {
  return new AppError('permission_denied', 'A request that acts by cookie must come from the same origin');
}

/** Refuses a write by cookie that does not say that it comes from this origin. */
export function checkSameOrigin({ config }: App, header: Header): void {
  const origin = header('origin');
  // A page with `Referrer-Policy: no-referrer` may hide its origin even from its own server.
  const isOurs =
    origin === undefined || origin === 'null'
      ? header('sec-fetch-site') === 'same-origin'
      : origin === new URL(config.server.base_url).origin;
  if (!isOurs) throw foreignOrigin();
}

/**
 * Refuses a request that says it comes from elsewhere; one that says nothing may pass. For what sets cookies before
 * there are any, so that a foreign page cannot sign a browser into an account of its own.
 */
export function refuseForeignOrigin(app: App, header: Header): void {
  const site = header('sec-fetch-site');
  if (header('origin') === undefined && (site === undefined || site === 'none')) return;
  checkSameOrigin(app, header);
}
