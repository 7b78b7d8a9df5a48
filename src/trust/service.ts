// The server's own certificate authority, if its certificate comes from there.
import { X509Certificate } from 'node:crypto';
import { loadAuthority } from '../certificates/authority.ts';
import { signProfile } from '../certificates/profile.ts';
import { recognizePhone } from '../compatibility/phone.ts';
import type { App, Context } from '../core/context.ts';
import type { Reply } from '../http/reply.ts';
import { chooseLanguage } from '../languages.ts';
import { notFound } from '../lib/errors.ts';
import { hostnameOf } from '../lib/url-host.ts';
import { trustPage } from './page.ts';
import { renderTrustProfile } from './profile.ts';

/**
 * Returns the certificate and the name of the authority. Throws `not_found` if the server's certificate comes from
 * elsewhere.
 */
async function readAuthority(app: App): Promise<{ certificate: X509Certificate; authority: string }> {
  if (app.config.server.tls.mode !== 'internal') throw notFound();
  const certificate = new X509Certificate((await loadAuthority(app)).certificate);
  return { certificate, authority: certificate.subject.replace(/^CN=/, '') };
}

/** Returns the page that explains how to trust the authority. Throws `not_found` if the server has none. */
export async function showTrustPage(ctx: Context): Promise<Reply> {
  const { certificate, authority } = await readAuthority(ctx);
  const { request, config } = ctx;
  return trustPage({
    baseUrl: config.server.base_url,
    host: hostnameOf(config.server.base_url),
    authority,
    fingerprint: certificate.fingerprint256,
    system: recognizePhone(request.userAgent, { platform: request.header('sec-ch-ua-platform') }).system,
    locale: chooseLanguage(request.acceptLanguage),
  });
}

/** Returns the signed profile for iPhones and iPads. */
export async function writeTrustProfile(ctx: Context): Promise<Buffer> {
  const { certificate, authority } = await readAuthority(ctx);
  const { server, apple_profile: profile } = ctx.config;
  const host = hostnameOf(server.base_url);
  const organization = profile.organization_name;
  return signProfile(ctx, renderTrustProfile({ certificate, authority, host, organization }));
}

/** Returns the certificate of the authority in DER or PEM format. */
export async function readTrustCertificate(ctx: Context, form: 'der' | 'pem'): Promise<Buffer> {
  const { certificate } = await readAuthority(ctx);
  return form === 'der' ? certificate.raw : Buffer.from(certificate.toString());
}
