// Checks that requests authenticated by a cookie come from our own pages
// (docs/specification/conventions.md#cookies-and-origin).
import type { App } from '../core/context.ts';
import { AppError } from '../lib/errors.ts';

type Header = (name: string) => string | undefined;

function foreignOrigin(): AppError {
  return new AppError('permission_denied', 'A request authenticated by a cookie must come from the same origin');
}

/** Rejects a write authenticated by a cookie unless its headers show that it comes from this origin. */
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
 * Rejects a request whose headers show another origin; requests without such headers pass. For operations that set cookies, so
 * that a foreign page can't sign a browser in to an attacker's account.
 */
export function rejectForeignOrigin(app: App, header: Header): void {
  const site = header('sec-fetch-site');
  if (header('origin') === undefined && (site === undefined || site === 'none')) return;
  checkSameOrigin(app, header);
}
