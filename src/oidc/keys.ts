// The signing keys of a provider. They're fetched when a token needs them, and again for an unknown key id, because providers
// rotate their keys. Tokens with made-up key ids can't cause more than one request a minute.
import type { JSONWebKeySet, JWTVerifyGetKey } from 'jose';
import { isRecent, MINUTE } from '../lib/clock.ts';
import { codeOf } from '../lib/error-code.ts';
import type { ProviderFetch } from './fetch.ts';
import { ProviderProblem } from './problem.ts';

const MAX_AGE_MS = 10 * MINUTE;
const REFETCH_PAUSE_MS = MINUTE;
const MAX_KEYS = 100;

export interface ProviderKeys {
  /** Finds the key of a token, for jose. Rejects with ProviderProblem if the keys can't be fetched. */
  find: JWTVerifyGetKey;
  /** Fetches the keys regardless of their age. Returns how many there are. */
  fetch(): Promise<number>;
}

/** Creates the keys at a URL. `now` returns milliseconds since the epoch. */
export function createProviderKeys(url: string, fetchUrl: ProviderFetch, now: () => number): ProviderKeys {
  let known: { find: JWTVerifyGetKey; count: number; fetchedAt: number } | undefined;
  let triedAt = Number.NEGATIVE_INFINITY;
  let pending: Promise<NonNullable<typeof known>> | undefined;

  function fetchOnce(): Promise<NonNullable<typeof known>> {
    triedAt = now();
    pending ??= load().finally(() => {
      pending = undefined;
    });
    return pending;
  }

  async function load(): Promise<NonNullable<typeof known>> {
    const response = await fetchUrl(url, { method: 'GET', headers: { accept: 'application/json' } });
    if (response.status !== 200) throw new ProviderProblem(`its key set responded with ${response.status}`);
    const set = (await response.json().catch(() => null)) as Partial<JSONWebKeySet> | null;
    const count = Array.isArray(set?.keys) ? set.keys.length : Number.POSITIVE_INFINITY;
    if (count > MAX_KEYS) throw new ProviderProblem("its key set isn't a JSON Web Key Set");
    const { createLocalJWKSet } = await import('jose');
    try {
      known = { find: createLocalJWKSet(set as JSONWebKeySet), count, fetchedAt: now() };
      return known;
    } catch {
      throw new ProviderProblem("its key set isn't a JSON Web Key Set");
    }
  }

  return {
    async find(header, token) {
      const isFresh = known !== undefined && isRecent(known.fetchedAt, now(), MAX_AGE_MS);
      const current = isFresh && known !== undefined ? known : await fetchOnce();
      try {
        return await current.find(header, token);
      } catch (error) {
        const isUnknown = codeOf(error) === 'ERR_JWKS_NO_MATCHING_KEY';
        if (!isUnknown || isRecent(triedAt, now(), REFETCH_PAUSE_MS)) throw error;
        return (await fetchOnce()).find(header, token);
      }
    },
    async fetch() {
      return (await fetchOnce()).count;
    },
  };
}
