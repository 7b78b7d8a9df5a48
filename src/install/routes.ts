// Operations of the public install API, and the phone pages.
import { z } from 'zod';
import type { Context } from '../core/context.ts';
import { anonymous, media, type Operation, operation, redirect } from '../http/operation.ts';
import { type Reply, redirectTo, reply } from '../http/reply.ts';
import { notFound } from '../lib/errors.ts';
import { id } from '../lib/shapes.ts';
import { installAssets, installContentSecurityPolicy } from '../pages/styles.ts';
import { manifestMediaType } from './manifest.ts';
import { type InstallPage, showCapabilityPage, showChannelPage, showReleasePage } from './pages.ts';
import { capabilityInstall, installLink, publicChannel } from './schema.ts';
import * as service from './service.ts';

const tag = 'Public';
// Whatever is wrong with a capability, the answer is the same: so its form is no matter of validation.
const capability = z.string().meta({ description: 'Install capability: 15 minutes for one release' });
const capabilityParams = z.object({ capability });
const channelParams = z.object({ channel_id: id() });
const releaseParams = z.object({ channel_id: id(), release_id: id() });
const pageType = 'text/html; charset=utf-8';
const releasePath = '/public/v1/channels/{channel_id}/releases/{release_id}';
const capabilityPath = '/public/v1/install/{capability}';

const pageHeaders = {
  'content-security-policy': installContentSecurityPolicy,
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow',
  vary: 'Accept-Language, User-Agent, Cookie, Sec-CH-UA-Platform, Sec-CH-UA-Platform-Version',
  // Chrome hides Android's version in its User-Agent and names it when asked; critical ones it sends with the first page.
  'accept-ch': 'Sec-CH-UA-Platform-Version',
  'critical-ch': 'Sec-CH-UA-Platform-Version',
};

function sendPage({ html, isFound }: InstallPage): Reply {
  return { ...reply(pageType, html, pageHeaders), status: isFound ? 200 : 404 };
}

function sendManifest(manifest: string): Reply {
  return reply(manifestMediaType, manifest);
}

async function sendIcon(ctx: Context, buildId: string, token: string | undefined): Promise<Reply> {
  const { bytes, contentType, isPublic } = await service.readPublicIcon(ctx, buildId, token);
  return reply(contentType, bytes, {
    'cache-control': `${isPublic ? 'public' : 'private'}, max-age=300`,
    // Somebody else's bytes under our address: they may be drawn and nothing more.
    'content-security-policy': "default-src 'none'; sandbox",
  });
}

function sendAsset(name: string): Reply {
  const asset = installAssets.find(({ path }) => path === `/install/assets/${name}`);
  if (asset === undefined) throw notFound();
  return reply(asset.mediaType, asset.content, { 'cache-control': 'public, max-age=31536000, immutable' });
}

export const installRoutes: Operation[] = [
  operation({
    id: 'getPublicChannel',
    tag,
    summary: 'A public channel and what it serves now',
    description: 'A private channel answers as an absent one does.',
    method: 'get',
    path: '/public/v1/channels/{channel_id}',
    access: anonymous,
    params: channelParams,
    returns: publicChannel,
    status: 200,
    handle: (ctx, { params }) => service.readPublicChannel(ctx, params.channel_id),
  }),
  operation({
    id: 'downloadPublicRelease',
    tag,
    summary: 'Download the current release of a public channel',
    description:
      'Redirects to a signed link and counts one download; with a capability for the same release, one however often it is asked. ' +
      'Releases that are not current need a link of their capability.',
    method: 'get',
    path: `${releasePath}/download`,
    access: anonymous,
    params: releaseParams,
    query: z.object({ capability: capability.optional() }),
    returns: redirect,
    status: 302,
    errors: [402, 503],
    handle: async (ctx, { params, query }) =>
      redirectTo(await service.downloadCurrent(ctx, params.channel_id, params.release_id, query.capability)),
  }),
  operation({
    id: 'getPublicManifest',
    tag,
    summary: 'Over-the-air manifest of the current release of a public channel (iOS)',
    description: 'Its links carry a capability of their own, so that they work without cookies.',
    method: 'get',
    path: `${releasePath}/manifest.plist`,
    access: anonymous,
    params: releaseParams,
    returns: media(manifestMediaType),
    status: 200,
    handle: (ctx, { params }) => sendManifest(service.writeCurrentManifest(ctx, params.channel_id, params.release_id)),
  }),
  operation({
    id: 'createPublicInstallLink',
    tag,
    summary: 'Mint a capability for one install of the current release of a public channel',
    method: 'post',
    path: `${releasePath}/install-link`,
    access: anonymous,
    params: releaseParams,
    returns: installLink,
    status: 201,
    errors: [402],
    handle: (ctx, { params }) => service.createInstallLink(ctx, params.channel_id, params.release_id),
  }),
  operation({
    id: 'getCapabilityInstall',
    tag,
    summary: 'The release that a capability was minted for',
    description: 'An altered or expired capability, and one of a withdrawn release or build, answers 404.',
    method: 'get',
    path: capabilityPath,
    access: anonymous,
    params: capabilityParams,
    returns: capabilityInstall,
    status: 200,
    handle: (ctx, { params }) => service.readCapabilityInstall(ctx, params.capability),
  }),
  operation({
    id: 'downloadByCapability',
    tag,
    summary: 'Download the release of a capability',
    description: 'Redirects to a signed link. However often it is asked, one download is counted.',
    method: 'get',
    path: `${capabilityPath}/download`,
    access: anonymous,
    params: capabilityParams,
    returns: redirect,
    status: 302,
    errors: [402, 503],
    handle: async (ctx, { params }) => redirectTo(await service.downloadByCapability(ctx, params.capability)),
  }),
  operation({
    id: 'getCapabilityManifest',
    tag,
    summary: 'Over-the-air manifest of the release of a capability (iOS)',
    method: 'get',
    path: `${capabilityPath}/manifest.plist`,
    access: anonymous,
    params: capabilityParams,
    returns: media(manifestMediaType),
    status: 200,
    handle: (ctx, { params }) => sendManifest(service.writeCapabilityManifest(ctx, params.capability)),
  }),
  operation({
    id: 'getPublicIcon',
    tag,
    summary: 'Icon of a build that a public channel serves now, or that a capability is for',
    method: 'get',
    path: '/public/v1/icons/{build_id}',
    access: anonymous,
    params: z.object({ build_id: id() }),
    query: z.object({ capability: capability.optional() }),
    returns: media('image/*'),
    status: 200,
    errors: [503],
    handle: (ctx, { params, query }) => sendIcon(ctx, params.build_id, query.capability),
  }),
  operation({
    id: 'showChannelPage',
    tag,
    summary: 'Install page of a public channel, for a phone or, with a QR code, for a desktop',
    method: 'get',
    path: '/install/channels/{channel_id}',
    access: anonymous,
    params: z.object({ channel_id: z.string().toLowerCase() }),
    returns: media('text/html'),
    status: 200,
    handle: async (ctx, { params }) => sendPage(await showChannelPage(ctx, params.channel_id)),
  }),
  operation({
    id: 'showReleasePage',
    tag,
    summary: 'Install page of one release of a public channel',
    description: 'While the channel serves another one, the page leads there.',
    method: 'get',
    path: '/install/channels/{channel_id}/releases/{release_id}',
    access: anonymous,
    params: z.object({ channel_id: z.string().toLowerCase(), release_id: z.string().toLowerCase() }),
    returns: media('text/html'),
    status: 200,
    handle: async (ctx, { params }) => sendPage(await showReleasePage(ctx, params.channel_id, params.release_id)),
  }),
  operation({
    id: 'showCapabilityPage',
    tag,
    summary: 'Install page of the release of a capability',
    method: 'get',
    path: '/install/{capability}',
    access: anonymous,
    params: capabilityParams,
    returns: media('text/html'),
    status: 200,
    handle: async (ctx, { params }) => sendPage(await showCapabilityPage(ctx, params.capability)),
  }),
  operation({
    id: 'getInstallAsset',
    tag,
    summary: 'Style sheet or icon of the install pages; the name says the content, so that it may be kept for ever',
    method: 'get',
    path: '/install/assets/{name}',
    access: anonymous,
    params: z.object({ name: z.string() }),
    returns: media('*/*'),
    status: 200,
    handle: (_ctx, { params }) => sendAsset(params.name),
  }),
];
