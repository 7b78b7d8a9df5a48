// Operations on everybody who tests a channel.
import { z } from 'zod';
import { locateChannel } from '../../channels/store.ts';
import type { ProjectContext } from '../../core/context.ts';
import { empty, fromPath, type Operation, operation } from '../../http/operation.ts';
import { pageQuery } from '../../lib/shapes.ts';
import { removeTester } from '../grants/service.ts';
import type { Target } from '../target.ts';
import { channelTesterPage, inChannelGrantPath, inChannelPath } from './schema.ts';
import { asksForCsv, exportChannelTesters, listChannelTesters } from './service.ts';

const tag = 'Testers';
const tenant = fromPath('channel_id', locateChannel);

const wholeChannel = ({ organization, project }: ProjectContext, channelId: string): Target => ({
  organizationId: organization.id,
  projectId: project.id,
  channelId,
});

export const channelTesterRoutes: Operation[] = [
  operation({
    id: 'listChannelTesters',
    tag,
    summary: 'Everybody who tests a channel, and what each has',
    description:
      'Each person once, with every way that leads here: access to the channel, its project or its organization, and groups. ' +
      'With format=csv or Accept: text/csv all of them as a table (text/csv).',
    method: 'get',
    path: '/api/v1/channels/{channel_id}/testers',
    access: { kind: 'project', permission: 'channel_tester.list', tenant },
    params: inChannelPath,
    query: z.object({ ...pageQuery, format: z.enum(['json', 'csv']).optional() }),
    returns: channelTesterPage,
    status: 200,
    handle: (ctx, { params, query }) =>
      asksForCsv(ctx, query.format)
        ? exportChannelTesters(ctx, params.channel_id)
        : listChannelTesters(ctx, params.channel_id, query),
  }),
  operation({
    id: 'removeChannelTester',
    tag,
    summary: 'Take the access away that a tester got by an invitation into this channel',
    description: 'Access to the project or the organization, and by groups, is taken away there.',
    method: 'delete',
    path: '/api/v1/channels/{channel_id}/testers/{grant_id}',
    access: { kind: 'project', permission: 'channel_tester.manage', tenant },
    params: inChannelGrantPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => removeTester(ctx, wholeChannel(ctx, params.channel_id), params.grant_id),
  }),
];
