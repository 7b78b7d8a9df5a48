// Operations that offer the server's own authority. They are reachable without https too, where a plain listener is on.
import { anonymous, media, type Operation, operation } from '../http/operation.ts';
import { reply } from '../http/reply.ts';
import { trustPaths } from './paths.ts';
import { readTrustCertificate, showTrustPage, writeTrustProfile } from './service.ts';

const tag = 'Trust';
const certificateType = 'application/x-x509-ca-cert';
const profileType = 'application/x-apple-aspen-config';
const description =
  'Only where the server has a certificate of its own authority (server.tls.mode "internal"), else 404.';

/** Named by the last part of their paths; systems open the first two themselves when they are not sent as attachments. */
const headers = { 'cache-control': 'no-store' };

export const trustRoutes: Operation[] = [
  operation({
    id: 'showTrustPage',
    tag,
    summary: 'How a phone or desktop comes to trust this server, step by step',
    description,
    method: 'get',
    path: trustPaths.page,
    access: anonymous,
    rateLimit: 'public',
    returns: media('text/html'),
    status: 200,
    errors: [404],
    handle: (ctx) => showTrustPage(ctx),
  }),
  operation({
    id: 'getTrustProfile',
    tag,
    summary: 'Signed configuration profile that adds the authority to an iPhone or iPad',
    description,
    method: 'get',
    path: trustPaths.profile,
    access: anonymous,
    rateLimit: 'public',
    returns: media(profileType),
    status: 200,
    errors: [404],
    handle: async (ctx) => reply(profileType, await writeTrustProfile(ctx), headers),
  }),
  operation({
    id: 'getTrustCertificate',
    tag,
    summary: 'Certificate of the authority in DER, as Android, macOS and Windows take it',
    description,
    method: 'get',
    path: trustPaths.certificate,
    access: anonymous,
    rateLimit: 'public',
    returns: media(certificateType),
    status: 200,
    errors: [404],
    handle: async (ctx) => reply(certificateType, await readTrustCertificate(ctx, 'der'), headers),
  }),
  operation({
    id: 'getTrustCertificatePem',
    tag,
    summary: 'Certificate of the authority in PEM, as Linux takes it',
    description,
    method: 'get',
    path: trustPaths.pem,
    access: anonymous,
    rateLimit: 'public',
    returns: media('application/x-pem-file'),
    status: 200,
    errors: [404],
    handle: async (ctx) => reply('application/x-pem-file', await readTrustCertificate(ctx, 'pem'), headers),
  }),
];
