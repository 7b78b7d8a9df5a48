// The Google Play Developer API: access tokens of service accounts (RFC 7523) and validation.
import type { Context } from '../core/context.ts';
import { MINUTE, SECOND } from '../lib/clock.ts';
import * as z from '../lib/zod.ts';
import type { GoogleCredentials } from './credentials.ts';
import { type Failure, failureOf, type Validation } from './failures.ts';
import { askStore, type StoreAnswer, unavailable } from './provider-request.ts';
import { storeStateOf } from './state.ts';

const SCOPE = 'https://www.googleapis.com/auth/androidpublisher';
const GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
/** Seconds. */
const ASSERTION_LIFETIME = 3_600;
/** A cached token isn't used in its last minutes. */
const TOKEN_MARGIN_MS = 5 * MINUTE;

const tokenShape = z.object({
  access_token: z.string().regex(/^[\x21-\x7e]{1,4096}$/),
  expires_in: z.number().min(0).max(86_400),
});
const oauthProblem = z.object({ error: z.string() });
const apiProblem = z.object({
  error: z.object({
    errors: z.array(z.object({ reason: z.string().optional() })).optional(),
    details: z.array(z.object({ reason: z.string().optional() })).optional(),
  }),
});
const editShape = z.object({ id: z.string().regex(/^[\w-]{1,100}$/) });

/** Exchanges the key of a service account for an access token. */
async function exchange(
  ctx: Context,
  { clientEmail, keyId, privateKey }: GoogleCredentials,
): Promise<{ token: string; expiresInMs: number } | Failure> {
  const { SignJWT } = await import('jose');
  const url = ctx.config.stores.google_play.token_url;
  const issuedAt = Math.floor(ctx.clock.time() / SECOND);
  const assertion = await new SignJWT({ scope: SCOPE })
    .setProtectedHeader({ alg: 'RS256', kid: keyId, typ: 'JWT' })
    .setIssuer(clientEmail)
    .setAudience(url)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ASSERTION_LIFETIME)
    .sign(privateKey);
  const body = new URLSearchParams({ grant_type: GRANT, assertion });
  const answer = await askStore(ctx, { method: 'POST', url, body });
  const code = oauthProblem.safeParse(answer.body).data?.error;
  if (answer.status === 401 || (answer.status === 400 && code === 'invalid_grant')) {
    return failureOf('credentials_refused', code);
  }
  const parsed = tokenShape.safeParse(answer.body);
  if (answer.status !== 200 || !parsed.success) throw unavailable(answer.retryAfterSeconds);
  return { token: parsed.data.access_token, expiresInMs: parsed.data.expires_in * SECOND };
}

/** Returns a token of a saved connection from memory, or a new one. `id` is undefined before the connection is saved. */
async function tokenOf(
  ctx: Context,
  credentials: GoogleCredentials,
  id: string | undefined,
): Promise<{ token: string; isCached: boolean } | Failure> {
  const { tokens } = storeStateOf(ctx);
  const now = ctx.clock.time();
  const cached = id === undefined ? undefined : tokens.get(id);
  if (cached !== undefined && cached.keyId === credentials.keyId && cached.until > now) {
    return { token: cached.token, isCached: true };
  }
  const result = await exchange(ctx, credentials);
  if ('code' in result) return result;
  if (id !== undefined) {
    tokens.set(id, {
      keyId: credentials.keyId,
      token: result.token,
      until: now + result.expiresInMs - TOKEN_MARGIN_MS,
    });
  }
  return { token: result.token, isCached: false };
}

/** Why Google rejects requests with 403 that would succeed later. They say nothing about the key. */
const usageLimits: ReadonlySet<string | undefined> = new Set([
  'rateLimitExceeded',
  'userRateLimitExceeded',
  'dailyLimitExceeded',
  'quotaExceeded',
  'RATE_LIMIT_EXCEEDED',
]);

/** Returns what a rejection says about the key or the package. Throws `store_connection_unavailable` for a used-up quota. */
function failureOfAnswer({ status, body, retryAfterSeconds }: StoreAnswer): Failure | undefined {
  const problem = apiProblem.safeParse(body).data?.error;
  const reasons = [...(problem?.errors ?? []), ...(problem?.details ?? [])].map(({ reason }) => reason);
  if (status === 401) return failureOf('credentials_refused', reasons[0]);
  if (status === 404) return failureOf('package_unknown');
  if (status !== 403) return undefined;
  if (reasons.some((reason) => usageLimits.has(reason))) throw unavailable(retryAfterSeconds);
  const isDisabled = reasons.some((reason) => reason === 'accessNotConfigured' || reason === 'SERVICE_DISABLED');
  return failureOf(isDisabled ? 'api_disabled' : 'permission_missing', reasons[0]);
}

/**
 * Asks Google whether the key works. With a package, an edit of it is opened and deleted, which needs the permission for that
 * app; without one, a token is requested.
 */
export async function validateGoogle(
  ctx: Context,
  credentials: GoogleCredentials,
  packageName: string | null,
  id?: string,
): Promise<Validation> {
  if (packageName === null) {
    const result = await exchange(ctx, credentials);
    return { scope: 'token', failure: 'code' in result ? result : undefined };
  }
  const held = await tokenOf(ctx, credentials, id);
  if ('code' in held) return { scope: 'package', failure: held };
  const failure = await tryEdit(ctx, held.token, packageName);
  // A token from memory can be of a time before the key was replaced or revoked.
  if (held.isCached && failure?.code === 'credentials_refused' && id !== undefined) {
    storeStateOf(ctx).tokens.delete(id);
    return validateGoogle(ctx, credentials, packageName, id);
  }
  return { scope: 'package', failure };
}

/** Opens an edit of an app and deletes it. */
async function tryEdit(ctx: Context, token: string, packageName: string): Promise<Failure | undefined> {
  const base = ctx.config.stores.google_play.base_url.replace(/\/$/, '');
  const url = `${base}/androidpublisher/v3/applications/${encodeURIComponent(packageName)}/edits`;
  const answer = await askStore(ctx, { method: 'POST', url, token, body: {} });
  const failure = failureOfAnswer(answer);
  if (failure !== undefined) return failure;
  const edit = editShape.safeParse(answer.body);
  if (answer.status > 299 || !edit.success) throw unavailable(answer.retryAfterSeconds);
  // The edit proved the permission. One that stays ends automatically, or with the next one.
  await askStore(ctx, { method: 'DELETE', url: `${url}/${edit.data.id}`, token }).catch(() => undefined);
  return undefined;
}
