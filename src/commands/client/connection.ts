// The server and credentials of the client commands: TAXIWAY_URL and TAXIWAY_TOKEN, else the stored session.
import { Refusal, UsageError } from '../../lib/failure.ts';
import * as z from '../../lib/zod.ts';
import type { CommandHost } from '../host.ts';
import { type Api, ApiRefusal, type Bearer, createApi } from './api.ts';
import { keepSession, readSession, type StoredSession, withSessionLock } from './credentials.ts';

export const TokenResponse = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.number(),
});

const RENEW_BEFORE_MS = 30_000;

/** As in the shell uploader. Others can't be in a header, and an error about that would print the token. */
const TOKEN_CHARACTERS = /^[-\w.~+/=]+$/;

/** Connects to the server in the environment or the stored session. A session is only used for its own server. */
export function connect(host: CommandHost): Api {
  const token = readVariable(host, 'TAXIWAY_TOKEN');
  if (token !== undefined && !TOKEN_CHARACTERS.test(token))
    throw new Refusal('TAXIWAY_TOKEN contains characters that no token has');
  const stated = readVariable(host, 'TAXIWAY_URL');
  const session = token !== undefined && stated !== undefined ? undefined : readSession(host);
  const url = stated === undefined ? session?.url : normalizeServerUrl(stated);
  if (url === undefined)
    throw new Refusal('no server configured: sign in with "taxiway login", or set TAXIWAY_URL and TAXIWAY_TOKEN');
  if (token !== undefined) return createApi(host, url, { current: async () => token, renew: async () => undefined });
  if (session === undefined || session.url !== url) {
    throw new Refusal(`not signed in to ${url}: sign in with "taxiway login --url ${url}", or set TAXIWAY_TOKEN`);
  }
  return connectSession(host, session);
}

/** Connects to the server of a stored session. */
export function connectSession(host: CommandHost, session: StoredSession): Api {
  return createApi(host, session.url, createSessionBearer(host, session));
}

/**
 * Returns the value of a variable; undefined if it isn't set. Throws Refusal if it's empty, which is how CI systems set
 * unavailable secrets.
 */
function readVariable(host: CommandHost, name: 'TAXIWAY_URL' | 'TAXIWAY_TOKEN'): string | undefined {
  const value = host.env[name]?.trim();
  if (value === '') throw new Refusal(`${name} is empty: set a value, or unset it`);
  return value;
}

/** Names and addresses of this machine and of private networks, where a server usually has no certificate. */
const PRIVATE_HOST =
  /^(localhost|.+\.localhost|127(\.\d+){3}|10(\.\d+){3}|192\.168(\.\d+){2}|172\.(1[6-9]|2\d|3[01])(\.\d+){2}|169\.254(\.\d+){2}|\[::1\]|\[f[cd].*\])$/;

/** Without a scheme, the address means http for this machine and private addresses, and https for all others. */
function withScheme(value: string): string {
  if (/^https?:/i.test(value)) return value;
  const host = URL.parse(`http://${value}`)?.hostname ?? '';
  return PRIVATE_HOST.test(host) ? `http://${value}` : `https://${value}`;
}

/** Returns an http or https URL without a trailing slash. Throws UsageError for other text. */
export function normalizeServerUrl(value: string): string {
  const url = URL.parse(withScheme(value));
  // Another scheme, or a wrong or doubled one, would be the name of a host: ftp://x.example, https//x.example.
  const isHostInPath = /^\/{2,}[^/]/.test(url?.pathname ?? '');
  const hasMore = url !== null && url.search + url.hash + url.username + url.password !== '';
  if (url === null || url.hostname === '' || isHostInPath || hasMore) {
    throw new UsageError(`"${value}" must be the address of a server, such as https://builds.example.com`);
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

function createSessionBearer(host: CommandHost, kept: StoredSession): Bearer {
  let session = kept;

  const renew = (): Promise<string> =>
    withSessionLock(host, async () => {
      const latest = readSession(host);
      // Somebody may have signed in to another server or account since this command began, which goes on with its own session.
      const isSame = latest?.url === session.url && latest.email === session.email;
      const isRenewedMeanwhile = isSame && latest.refresh_token !== session.refresh_token;
      session = isRenewedMeanwhile ? latest : await refreshSession(host, session);
      return session.access_token;
    });

  return {
    current: async () => (host.now() < session.expires_at - RENEW_BEFORE_MS ? session.access_token : renew()),
    renew,
  };
}

/** Renews a session, and stores it if it's still the stored one. */
async function refreshSession(host: CommandHost, session: StoredSession): Promise<StoredSession> {
  const request = { method: 'POST', path: '/login/refresh', body: { refresh_token: session.refresh_token } } as const;
  try {
    const tokens = await createApi(host, session.url).send(request, TokenResponse);
    const renewed = { ...session, ...keptTokens(tokens, host.now()) };
    if (readSession(host)?.refresh_token === session.refresh_token) keepSession(host, renewed);
    return renewed;
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 401) throw error;
    throw new Refusal(`the session on ${session.url} has expired; sign in again with "taxiway login"`);
  }
}

/** Returns the part of a stored session that each token response replaces. */
export function keptTokens(tokens: z.output<typeof TokenResponse>, now: number) {
  return {
    access_token: tokens.access_token,
    refresh_token: tokens.refresh_token,
    expires_at: now + tokens.expires_in * 1000,
  };
}
