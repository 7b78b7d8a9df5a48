// Operations of the public install API, and the install pages.
import type { Context } from '../core/context.ts';
import { anonymous, media, type Operation, operation, redirect, visitor } from '../http/operation.ts';
import { NEVER_CHANGES, type Reply, redirectTo, reply } from '../http/reply.ts';
import { readPublicImage } from '../images/service.ts';
import { notFound } from '../lib/errors.ts';
import { CAPABILITY_LIFETIME_MS, englishLifetime } from '../lib/lifetimes.ts';
import { id } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { findOrganization } from '../organizations/store.ts';
import { findAccentStylesheet } from '../pages/accent.ts';
import { installAssets } from '../pages/styles.ts';
import { showBuildPage, showCapabilityPage } from './build-pages.ts';
import { askAtShortAddress, askForChannel, showChannelPage, showReleasePage, showShortPage } from './channel-pages.ts';
import { manifestMediaType } from './manifest.ts';
import { sendPage } from './page/send.ts';
import { sendBuildQrCode, sendChannelQrCode, sendMessageIcon } from './public-images.ts';
import { refuseInFixedTime } from './refusal-time.ts';
import { capabilityInstall, installLink, publicChannel } from './schema.ts';
import * as service from './service.ts';

const tag = 'Public';
// All invalid capabilities get the same response, so their format isn't validated here.
const capability = z.string().meta({
  description: `Install capability: valid for one release or build and ${englishLifetime(CAPABILITY_LIFETIME_MS)}`,
});
const capabilityParams = z.object({ capability });
const channelParams = z.object({ channel_id: id() });
const slugParams = z.object({ slug: z.string().toLowerCase() });
const releaseParams = z.object({ channel_id: id(), release_id: id() });
const releasePath = '/public/v1/channels/{channel_id}/releases/{release_id}';
const capabilityPath = '/public/v1/install/{capability}';

function sendManifest(manifest: string): Reply {
  return reply(manifestMediaType, manifest);
}

async function sendOrganizationIcon(ctx: Context, id: string, version: string): Promise<Reply> {
  const organization = findOrganization(ctx, id);
  if (organization === undefined) throw notFound();
  return readPublicImage(ctx, organization, version);
}

async function sendIcon(ctx: Context, buildId: string, token: string | undefined): Promise<Reply> {
  const { bytes, contentType, isPublic } = await service.readPublicIcon(ctx, buildId, token);
  return reply(contentType, bytes, {
    'cache-control': `${isPublic ? 'public' : 'private'}, max-age=300`,
    // These bytes come from users and are served from our origin, so they must only be displayed.
    'content-security-policy': "default-src 'none'; sandbox",
  });
}

function sendAsset(name: string): Reply {
  const asset = installAssets.find(({ path }) => path === `/install/assets/${name}`);
  if (asset !== undefined) {
    return reply(asset.mediaType, asset.content, { 'cache-control': NEVER_CHANGES });
  }
  const accent = findAccentStylesheet(name);
  if (accent === undefined) throw notFound();
  // Its name is the color of an icon. What is made of the color may change with the version of the server.
  return reply(accent.mediaType, accent.content, { 'cache-control': 'public, max-age=3600' });
}

export const installRoutes: Operation[] = [
  operation({
    id: 'getPublicChannel',
    tag,
    summary: 'Public channel with its current release',
    description: 'A private channel gets the same response as a missing one.',
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
      'Redirects to a signed link and counts one download. With a capability for the same release, repeated requests count once. ' +
      'Earlier releases require a capability link.',
    method: 'get',
    path: `${releasePath}/download`,
    access: anonymous,
    params: releaseParams,
    query: z.object({ capability: capability.optional() }),
    returns: redirect,
    status: 302,
    errors: [503],
    hasCost: true,
    handle: async (ctx, { params, query }) =>
      redirectTo(await service.downloadCurrent(ctx, params.channel_id, params.release_id, query.capability)),
  }),
  operation({
    id: 'getPublicManifest',
    tag,
    summary: 'Over-the-air manifest of the current release of a public channel (iOS)',
    description: 'Its links contain a capability, so they work without cookies.',
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
    summary: 'Create a capability for installing the current release of a public channel',
    method: 'post',
    path: `${releasePath}/install-link`,
    access: anonymous,
    params: releaseParams,
    returns: installLink,
    status: 201,
    hasCost: true,
    handle: (ctx, { params }) => service.createInstallLink(ctx, params.channel_id, params.release_id),
  }),
  operation({
    id: 'getCapabilityInstall',
    tag,
    summary: 'Release of a capability',
    description: 'Responds with 404 if the capability is altered or expired, or if its release or build was withdrawn.',
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
    description: 'Redirects to a signed link. Repeated requests count as one download.',
    method: 'get',
    path: `${capabilityPath}/download`,
    access: anonymous,
    params: capabilityParams,
    returns: redirect,
    status: 302,
    errors: [503],
    hasCost: true,
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
    summary: 'Icon of a build that is live on a public channel or belongs to a capability',
    description:
      'The addresses of icons in responses to in-app updates have a capability that allows only the icon, for 15 minutes.',
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
    id: 'getChannelQrCode',
    tag,
    summary: "QR code of the address of a channel's install page, as PNG",
    description: "Only draws the address: it's the same whether the channel exists or not.",
    method: 'get',
    path: '/public/v1/channels/{channel_id}/qr.png',
    access: anonymous,
    params: channelParams,
    returns: media('image/png'),
    status: 200,
    handle: (ctx, { params }) => sendChannelQrCode(ctx, params.channel_id),
  }),
  operation({
    id: 'getBuildQrCode',
    tag,
    summary: "QR code of the address of a build's install page, as PNG",
    description: "Only draws the address: it's the same whether the build exists or not.",
    method: 'get',
    path: '/public/v1/builds/{build_id}/qr.png',
    access: anonymous,
    params: z.object({ build_id: id() }),
    returns: media('image/png'),
    status: 200,
    handle: (ctx, { params }) => sendBuildQrCode(ctx, params.build_id),
  }),
  operation({
    id: 'getMessageIcon',
    tag,
    summary: 'Icon of a build, with the signature from the address in a message',
    method: 'get',
    path: '/public/v1/builds/{build_id}/icon/{signature}',
    access: anonymous,
    params: z.object({ build_id: id(), signature: z.string().max(100) }),
    returns: media('image/*'),
    status: 200,
    errors: [503],
    handle: (ctx, { params }) => sendMessageIcon(ctx, params.build_id, params.signature),
  }),
  operation({
    id: 'getPublicScreenshot',
    tag,
    summary: 'Screenshot of the app of a build that is live on a public channel or belongs to a capability',
    method: 'get',
    path: '/public/v1/builds/{build_id}/screenshots/{screenshot_id}',
    access: anonymous,
    params: z.object({ build_id: id(), screenshot_id: id() }),
    query: z.object({ capability: capability.optional() }),
    returns: media('image/*'),
    status: 200,
    errors: [503],
    handle: (ctx, { params, query }) =>
      service.readPublicScreenshot(ctx, params.build_id, params.screenshot_id, query.capability),
  }),
  operation({
    id: 'getPublicOrganizationIcon',
    tag,
    summary: 'Icon of an organization, with the version that its pages name',
    method: 'get',
    path: '/public/v1/organizations/{organization_id}/icon/{version}',
    access: anonymous,
    params: z.object({ organization_id: id(), version: id() }),
    returns: media('image/*'),
    status: 200,
    isConditional: true,
    errors: [503],
    handle: (ctx, { params }) => sendOrganizationIcon(ctx, params.organization_id, params.version),
  }),
  operation({
    id: 'showChannelPage',
    tag,
    summary: 'Install page of a channel, with a QR code on desktops',
    description:
      "For a private channel, it requires the session of a browser whose account may install from it. Everyone else gets the same page as for a channel that doesn't exist.",
    method: 'get',
    path: '/install/channels/{channel_id}',
    access: visitor,
    params: z.object({ channel_id: z.string().toLowerCase() }),
    returns: media('text/html'),
    status: 200,
    handle: async (ctx, { params }) => sendPage(await refuseInFixedTime(() => showChannelPage(ctx, params.channel_id))),
  }),
  operation({
    id: 'askForChannelAccess',
    tag,
    summary: 'Ask the team of a channel for access, from its install page',
    description: 'Responds the same whether the channel exists or not.',
    method: 'post',
    path: '/install/channels/{channel_id}/access-request',
    access: visitor,
    params: z.object({ channel_id: z.string().toLowerCase() }),
    returns: media('text/html'),
    status: 200,
    handle: async (ctx, { params }) => sendPage(await refuseInFixedTime(() => askForChannel(ctx, params.channel_id))),
  }),
  operation({
    id: 'showShortPage',
    tag,
    summary: 'Install page of a channel at its short address',
    description: 'A former address of the channel redirects for a year to people who may install from it.',
    method: 'get',
    path: '/i/{slug}',
    access: visitor,
    params: slugParams,
    returns: media('text/html'),
    status: 200,
    handle: async (ctx, { params }) => {
      const shown = await refuseInFixedTime(() => showShortPage(ctx, params.slug));
      return 'movedTo' in shown ? { ...redirectTo(shown.movedTo), status: 302 } : sendPage(shown);
    },
  }),
  operation({
    id: 'askForChannelAccessAtShortAddress',
    tag,
    summary: 'Ask the team of a channel for access, from its short address',
    description: 'Responds the same whether the address exists or not.',
    method: 'post',
    path: '/i/{slug}/access-request',
    access: visitor,
    params: slugParams,
    returns: media('text/html'),
    status: 200,
    handle: async (ctx, { params }) => sendPage(await refuseInFixedTime(() => askAtShortAddress(ctx, params.slug))),
  }),
  operation({
    id: 'showReleasePage',
    tag,
    summary: 'Install page of one release of a channel',
    description: 'If another release is live on the channel, the page links to it.',
    method: 'get',
    path: '/install/channels/{channel_id}/releases/{release_id}',
    access: visitor,
    params: z.object({ channel_id: z.string().toLowerCase(), release_id: z.string().toLowerCase() }),
    returns: media('text/html'),
    status: 200,
    handle: async (ctx, { params }) =>
      sendPage(await refuseInFixedTime(() => showReleasePage(ctx, params.channel_id, params.release_id))),
  }),
  operation({
    id: 'showBuildPage',
    tag,
    summary: 'Install page of one build, for its team',
    description:
      "Requires the session of a browser whose account may download the build, or is a tester of a channel on which it is live. Everyone else gets the same page as for a build that doesn't exist.",
    method: 'get',
    path: '/install/builds/{build_id}',
    access: visitor,
    params: z.object({ build_id: z.string().toLowerCase() }),
    returns: media('text/html'),
    status: 200,
    handle: async (ctx, { params }) => sendPage(await refuseInFixedTime(() => showBuildPage(ctx, params.build_id))),
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
    summary: 'Stylesheet, icon or font of the install pages',
    description:
      'The name is a hash of the content, so it can be cached forever. A stylesheet that is named by the color of an icon can be cached for an hour.',
    method: 'get',
    path: '/install/assets/{name}',
    access: anonymous,
    params: z.object({ name: z.string() }),
    returns: media('*/*'),
    status: 200,
    handle: (_ctx, { params }) => sendAsset(params.name),
  }),
];
