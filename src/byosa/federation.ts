// What other clouds read to verify assertions of this server.
import type { Context } from '../core/context.ts';
import { type Reply, reply } from '../http/reply.ts';
import { notFound } from '../lib/errors.ts';
import type * as z from '../lib/zod.ts';
import { cloudOf, FEDERATION_PATH } from './access.ts';
import type { discovery } from './schema.ts';
import { isFederationUsed } from './store.ts';

/** Clouds read it about once a day. */
const CACHE = { 'cache-control': 'public, max-age=3600' };

/** Throws `not_found` on a server without own containers. Those that organizations have stay in use if no more can be requested. */
function requirePublished(ctx: Context): void {
  if (!ctx.config.byosa.enabled && !isFederationUsed(ctx)) throw notFound();
}

/** Returns the discovery document (OpenID Connect Discovery 1.0). */
export function readDiscovery(ctx: Context): Reply {
  requirePublished(ctx);
  const issuer = `${ctx.config.server.base_url}${FEDERATION_PATH}`;
  const content: z.input<typeof discovery> = {
    issuer,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
  return reply('application/json', JSON.stringify(content), CACHE);
}

/** Returns the public keys. */
export async function readPublicKeys(ctx: Context): Promise<Reply> {
  requirePublished(ctx);
  const keys = await cloudOf(ctx).federation.publicKeys();
  return reply('application/json', JSON.stringify({ keys }), CACHE);
}

/** Part of a cleanup job: publishes the next key when it's due, and deletes the former one when nothing needs it anymore. */
export function rotateFederationKeys(ctx: Context): Promise<number> {
  return cloudOf(ctx).federation.rotate();
}
