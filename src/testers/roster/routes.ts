// Operations for the testers of a channel.
import { locateChannel } from '../../channels/store.ts';
import type { ProjectContext } from '../../core/context.ts';
import { choice, empty, fromPath, type Operation, operation } from '../../http/operation.ts';
import * as z from '../../lib/zod.ts';
import { removeTester } from '../grants/service.ts';
import { peopleQuery } from '../people.ts';
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
    summary: 'List the testers of a channel with their installed builds',
    description:
      'Each person once, with all grants: for the channel, its project or its organization, and through groups. ' +
      'With format=csv or Accept: text/csv, returns all of them, or all that match text, as CSV.',
    method: 'get',
    path: '/api/v1/channels/{channel_id}/testers',
    access: { kind: 'project', permission: 'channel_tester.list', tenant },
    params: inChannelPath,
    query: z.object({ ...peopleQuery, format: z.enum(['json', 'csv']).optional() }),
    returns: choice(channelTesterPage, 'text/csv'),
    status: 200,
    handle: (ctx, { params, query }) =>
      asksForCsv(ctx, query.format)
        ? exportChannelTesters(ctx, params.channel_id, query.text)
        : listChannelTesters(ctx, params.channel_id, query),
  }),
  operation({
    id: 'removeChannelTester',
    tag,
    summary: 'Remove a tester who joined through an invitation to this channel',
    description: "Doesn't remove access through the project, the organization or groups.",
    method: 'delete',
    path: '/api/v1/channels/{channel_id}/testers/{grant_id}',
    access: { kind: 'project', permission: 'channel_tester.manage', tenant },
    params: inChannelGrantPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => removeTester(ctx, wholeChannel(ctx, params.channel_id), params.grant_id),
  }),
];
