// API schemas of the testers of a channel.

import { displayBuildNumber } from '../../builds/schema.ts';
import { installVerdict } from '../../compatibility/schema.ts';
import { dateTime, id, page } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';

const way = z
  .object({
    identifier: id().meta({ description: 'Id of the grant or of the group membership' }),
    level: z.enum(['organization', 'project', 'channel', 'group']),
    group_id: id().nullable(),
    group_name: z.string().nullable(),
    join_link_id: id().nullable().meta({ description: 'The join link that the tester used, until it is deleted' }),
    join_link_label: z.string().nullable(),
    since: dateTime(),
  })
  .meta({ id: 'ChannelTesterWay' });

const installed = z
  .object({
    state: z.enum(['downloaded']),
    release_id: id().nullable(),
    build_id: id(),
    version_name: z.string().nullable().meta({ description: 'Null if the build was deleted' }),
    build_number: z.int().nullable(),
    display_build_number: displayBuildNumber.nullable(),
    device: z.string().nullable().meta({ description: 'Device from the User-Agent', example: 'iPhone15,2, iOS 18.1' }),
    at: dateTime(),
  })
  .meta({ id: 'ChannelTesterInstall' });

const testerDevice = z
  .object({
    identifier: id(),
    name: z.string(),
    install: installVerdict
      .nullable()
      .meta({ description: 'Compatibility with the current release; null if there is none' }),
  })
  .meta({ id: 'ChannelTesterDevice' });

const channelTester = z
  .object({
    developer_id: id(),
    email: z.string(),
    display_name: z.string(),
    is_verified: z
      .boolean()
      .meta({ description: 'Whether the email address is verified, which is required for installing' }),
    muted: z.boolean().meta({ description: 'Whether the tester gets no emails about this channel' }),
    grants: z
      .array(way)
      .meta({ description: 'All grants that include this channel. Those with level channel can be deleted here' }),
    devices: z.array(testerDevice).meta({ description: 'Registered devices of the tester, newest first' }),
    installed: installed.nullable().meta({ description: 'Last download from this channel' }),
  })
  .meta({ id: 'ChannelTester' });

export const channelTesterPage = page('ChannelTesterPage', channelTester);

export const inChannelPath = z.object({ channel_id: id() });
export const inChannelGrantPath = z.object({ channel_id: id(), grant_id: id() });

export type ChannelTester = z.input<typeof channelTester>;
