// The operation that lists channels with what each serves.
import { z } from 'zod';
import { fromQuery, type Operation, operation } from '../http/operation.ts';
import { inProject, pageQuery } from '../lib/shapes.ts';
import { channelOverviewPage } from './channel-schema.ts';
import { listChannelOverviews } from './channels.ts';

const tag = 'Channels';

export const channelOverviewRoutes: Operation[] = [
  operation({
    id: 'listChannelOverviews',
    tag,
    summary: 'The channels of a project with what each serves, who tests it and who has its current release',
    description: 'As the list, at most 100 for each page: the numbers are counted as they are asked for.',
    method: 'get',
    path: '/api/v1/channels/overview',
    access: { kind: 'project', permission: 'channel.read', tenant: fromQuery },
    query: z.object({ ...inProject, ...pageQuery }),
    returns: channelOverviewPage,
    status: 200,
    handle: (ctx, { query }) => listChannelOverviews(ctx, query),
  }),
];
