// The providers that this server talks to, with their metadata and keys. Nothing is fetched before the first sign-in.
import type { App } from '../core/context.ts';
import { definePart } from '../core/parts.ts';
import { isRecent, MINUTE } from '../lib/clock.ts';
import { createResolve } from '../outbound/resolve.ts';
import { createProviderFetch, type ProviderFetch } from './fetch.ts';
import { createProviderKeys, type ProviderKeys } from './keys.ts';
import { discover, type ProviderMetadata } from './metadata.ts';

const MAX_AGE_MS = 10 * MINUTE;
const MAX_PROVIDERS = 500;

export interface OidcProvider {
  metadata: ProviderMetadata;
  keys: ProviderKeys;
}

export interface OidcProviders {
  fetch: ProviderFetch;
  /** Returns a provider. Rejects with ProviderProblem if it can't be discovered. */
  load(issuer: string): Promise<OidcProvider>;
  /** Discovers a provider again, regardless of what is known. */
  reload(issuer: string): Promise<OidcProvider>;
  close(): void;
}

export function createOidcProviders(
  app: Pick<App, 'config' | 'clock' | 'log' | 'db'>,
  timeoutMs?: number,
): OidcProviders {
  const stopping = new AbortController();
  const send = createProviderFetch(app, createResolve(), stopping.signal, timeoutMs);
  const fetchUrl: ProviderFetch = async (url, options) => {
    // A provider accepts a code once, so that it was used has to be on disk first.
    await app.db.durability.settle();
    return send(url, options);
  };
  const known = new Map<string, OidcProvider & { foundAt: number }>();
  const pending = new Map<string, Promise<OidcProvider>>();
  const now = () => app.clock.time();

  async function find(issuer: string): Promise<OidcProvider> {
    const metadata = await discover(app, issuer, fetchUrl);
    const before = known.get(issuer);
    const isSameSet = before?.metadata.jwks_uri === metadata.jwks_uri;
    const keys = isSameSet ? before.keys : createProviderKeys(metadata.jwks_uri, fetchUrl, now);
    const provider = { metadata, keys, foundAt: now() };
    known.delete(issuer);
    const [oldest] = known.keys();
    if (known.size >= MAX_PROVIDERS && oldest !== undefined) known.delete(oldest);
    known.set(issuer, provider);
    return provider;
  }

  function reload(issuer: string): Promise<OidcProvider> {
    const running = pending.get(issuer) ?? find(issuer).finally(() => pending.delete(issuer));
    pending.set(issuer, running);
    return running;
  }

  return {
    fetch: fetchUrl,
    reload,
    async load(issuer) {
      const provider = known.get(issuer);
      return provider !== undefined && isRecent(provider.foundAt, now(), MAX_AGE_MS) ? provider : reload(issuer);
    },
    close: () => stopping.abort(),
  };
}

/** The providers of an app. */
export const oidcProvidersOf = definePart<OidcProviders>({
  open: (app) => createOidcProviders(app),
  close: (providers) => providers.close(),
});
