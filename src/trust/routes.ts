// Operations for the server's own certificate authority. They also work without https if a plain listener is on.
import { anonymous, media, type Operation, operation } from '../http/operation.ts';
import { reply } from '../http/reply.ts';
import { trustPaths } from './paths.ts';
import { readTrustCertificate, showTrustPage, writeTrustProfile } from './service.ts';

const tag = 'Trust';
const certificateType = 'application/x-x509-ca-cert';
const profileType = 'application/x-apple-aspen-config';
const description =
  'Only if the server uses its own certificate authority (server.tls.mode "internal"); otherwise 404.';

/**
 * The last part of the path is the file name. Systems open the profile and the DER certificate directly only if they
 * aren't attachments.
 */
const headers = { 'cache-control': 'no-store' };

export const trustRoutes: Operation[] = [
  operation({
    id: 'showTrustPage',
    tag,
    summary: 'Page with the steps for trusting this server on a phone or desktop',
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
    summary: 'Signed configuration profile that adds the certificate authority to an iPhone or iPad',
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
    summary: 'Certificate of the authority in DER format, for Android, macOS and Windows',
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
    summary: 'Certificate of the authority in PEM format, for Linux',
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
