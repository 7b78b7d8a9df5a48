// Operations for feeds: their addresses and tokens, and the feeds themselves.
import { anonymous, empty, interactive, media, type Operation, operation, redirect } from '../http/operation.ts';
import { id, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { feedDocuments } from './documents.ts';
import { channelFeeds, feedTokenInput, feedTokenPage, newFeedToken } from './schema.ts';
import * as service from './service.ts';
import { createFeedToken, listFeedTokens, readChannelFeeds, revokeFeedToken } from './tokens.ts';

const tag = 'Feeds';
const channelParams = z.object({ channel_id: id() });
// All addresses that don't work get the same response, so their format isn't validated here.
const feed = z.string().meta({ description: 'Id of a public channel, or a feed token' });
const feedParams = z.object({ feed });
const fileParams = z.object({ feed, file: z.string().max(100) });

export const feedRoutes: Operation[] = [
  operation({
    id: 'getChannelFeeds',
    tag,
    summary: 'Addresses of the feeds of a channel that you can install from',
    description: 'The feeds of a public channel work for everyone. For those of a private one, create a feed token.',
    method: 'get',
    path: '/api/v1/channels/{channel_id}/feeds',
    access: interactive,
    params: channelParams,
    returns: channelFeeds,
    status: 200,
    errors: [404],
    handle: (ctx, { params }) => readChannelFeeds(ctx, params.channel_id),
  }),
  operation({
    id: 'createFeedToken',
    tag,
    summary: 'Create a feed token for a channel that you can install from',
    description:
      'The token is only shown in this response. Its feeds work while you can install from the channel. You can have 10 for a channel.',
    method: 'post',
    path: '/api/v1/channels/{channel_id}/feed-tokens',
    access: interactive,
    params: channelParams,
    body: feedTokenInput,
    returns: newFeedToken,
    status: 201,
    errors: [402, 404],
    handle: (ctx, { params, body }) => createFeedToken(ctx, params.channel_id, body),
  }),
  operation({
    id: 'listFeedTokens',
    tag,
    summary: 'List your feed tokens for a channel, newest first',
    method: 'get',
    path: '/api/v1/channels/{channel_id}/feed-tokens',
    access: interactive,
    params: channelParams,
    query: z.object(pageQuery),
    returns: feedTokenPage,
    status: 200,
    handle: (ctx, { params, query }) => listFeedTokens(ctx, params.channel_id, query),
  }),
  operation({
    id: 'revokeFeedToken',
    tag,
    summary: 'Revoke one of your feed tokens',
    description: 'Its feeds stop working. Download links that were already handed out work for up to 15 minutes.',
    method: 'delete',
    path: '/api/v1/feed-tokens/{feed_token_id}',
    access: interactive,
    params: z.object({ feed_token_id: id() }),
    returns: empty,
    status: 204,
    errors: [404],
    handle: (ctx, { params }) => revokeFeedToken(ctx, params.feed_token_id),
  }),
  ...feedDocuments.map((document) =>
    operation({
      id: document.operation,
      tag,
      summary: document.summary,
      method: 'get',
      path: `/feeds/{feed}/${document.path}`,
      access: anonymous,
      params: feedParams,
      returns: media(document.type.replace(/;.*/, '')),
      status: 200,
      isConditional: true,
      handle: (ctx, { params }) => service.sendDocument(ctx, params.feed, document),
    }),
  ),
  operation({
    id: 'downloadLatestApk',
    tag,
    summary: 'Newest package of an Android channel',
    description:
      'HEAD responds with its size, file name and ETag. GET redirects to a signed link and counts one download, or responds with 304 to a known ETag.',
    method: 'get',
    path: '/feeds/{feed}/latest.apk',
    access: anonymous,
    params: feedParams,
    returns: redirect,
    status: 302,
    isConditional: true,
    errors: [503],
    hasCost: true,
    handle: (ctx, { params }) => service.sendLatestPackage(ctx, params.feed),
  }),
  operation({
    id: 'downloadFeedPackage',
    tag,
    summary: 'Package of the current release of a channel',
    description: 'Redirects to a signed link. With a token, repeated requests for a release count as one download.',
    method: 'get',
    path: '/feeds/{feed}/packages/{file}',
    access: anonymous,
    params: fileParams,
    returns: redirect,
    status: 302,
    errors: [503],
    hasCost: true,
    handle: (ctx, { params }) => service.sendPackage(ctx, params.feed, params.file),
  }),
  operation({
    id: 'getFeedIcon',
    tag,
    summary: 'Icon of a build of a feed',
    method: 'get',
    path: '/feeds/{feed}/icons/{file}',
    access: anonymous,
    params: fileParams,
    returns: media('image/*'),
    status: 200,
    isConditional: true,
    errors: [503],
    handle: (ctx, { params }) => service.sendFeedIcon(ctx, params.feed, params.file),
  }),
  operation({
    id: 'getRepositoryFile',
    tag,
    summary: 'File of the F-Droid repository of an Android channel',
    description:
      'entry.jar, index-v2.json and index-v1.jar, and the packages. The index lists the current release. Packages are redirects to signed links.',
    method: 'get',
    path: '/feeds/{feed}/fdroid/repo/{file}',
    access: anonymous,
    params: fileParams,
    returns: media('*/*'),
    status: 200,
    isConditional: true,
    errors: [503],
    hasCost: true,
    handle: async (ctx, { params }) => {
      const answer = await service.sendRepositoryFile(ctx, params.feed, params.file);
      return 'location' in answer.headers ? { ...answer, status: 302 } : answer;
    },
  }),
  operation({
    id: 'getRepositoryIcon',
    tag,
    summary: 'Icon of the F-Droid repository of an Android channel',
    method: 'get',
    path: '/feeds/{feed}/fdroid/repo/icons/{file}',
    access: anonymous,
    params: fileParams,
    returns: media('image/*'),
    status: 200,
    isConditional: true,
    errors: [503],
    handle: (ctx, { params }) => service.sendFeedIcon(ctx, params.feed, params.file),
  }),
];
