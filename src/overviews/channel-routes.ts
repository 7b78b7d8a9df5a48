// The operation for the overview of channels.
import { fromQuery, type Operation, operation } from '../http/operation.ts';
import { inProject, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { channelOverviewPage } from './channel-schema.ts';
import { listChannelOverviews } from './channels.ts';

const tag = 'Channels';

export const channelOverviewRoutes: Operation[] = [
  operation({
    id: 'listChannelOverviews',
    tag,
    summary: 'List the channels of a project with current release, testers and adoption',
    description: 'At most 100 per page. The numbers are counted at the time of the request.',
    method: 'get',
    path: '/api/v1/channels/overview',
    access: { kind: 'project', permission: 'channel.read', tenant: fromQuery },
    query: z.object({ ...inProject, ...pageQuery }),
    returns: channelOverviewPage,
    status: 200,
    handle: (ctx, { query }) => listChannelOverviews(ctx, query),
  }),
];
