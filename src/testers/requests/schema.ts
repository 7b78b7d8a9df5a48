// Wire shapes of requests for access to a channel.
import { dateTime, id, page } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';

const accessRequest = z
  .object({
    identifier: id(),
    organization_id: id(),
    project_id: id(),
    channel_id: id(),
    developer_id: id(),
    email: z.string().meta({ description: 'Verified address of the account' }),
    display_name: z.string(),
    created_at: dateTime(),
  })
  .meta({ id: 'AccessRequest' });

export const accessRequestPage = page('AccessRequestPage', accessRequest);

export const inChannelPath = z.object({ channel_id: id() });
export const inRequestPath = z.object({ request_id: id() });

export type AccessRequest = z.input<typeof accessRequest>;
