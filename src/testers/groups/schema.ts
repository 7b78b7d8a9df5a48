// API schemas of tester groups, their members and their grants.
import { dateTime, id, nameLine, page } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';
import { isVerified, testerStatus } from '../grants/schema.ts';

const name = nameLine(100).meta({ description: 'Unique in its organization', example: 'QA' });

export const testerGroup = z
  .object({
    identifier: id(),
    organization_id: id(),
    name: z.string(),
    notify_on_release: z.boolean().meta({
      description: 'Whether people who have access to a channel only through this group get emails about new releases',
    }),
    member_count: z.int().meta({ description: 'Includes pending members' }),
    grant_count: z.int(),
    created_at: dateTime(),
  })
  .meta({ id: 'TesterGroup' });

export const testerGroupPage = page('TesterGroupPage', testerGroup);

export const createGroupBody = z
  .object({ name, notify_on_release: z.boolean().default(true) })
  .meta({ id: 'TesterGroupCreateRequest' });

export const editGroupBody = z
  .object({ name: name.optional(), notify_on_release: z.boolean().optional() })
  .meta({ id: 'TesterGroupEditRequest' });

export const testerGroupMember = z
  .object({
    identifier: id(),
    group_id: id(),
    email: z.string().meta({ description: 'Address of the account, or the invited address while pending' }),
    status: testerStatus,
    is_verified: isVerified,
    developer_id: id().nullable(),
    display_name: z.string().nullable(),
    created_at: dateTime(),
    attached_at: dateTime().nullable(),
  })
  .meta({ id: 'TesterGroupMember' });

export const testerGroupMemberPage = page('TesterGroupMemberPage', testerGroupMember);

export const testerGroupGrant = z
  .object({
    identifier: id(),
    group_id: id(),
    organization_id: id(),
    project_id: id(),
    channel_id: id().nullable().meta({ description: 'Null for all channels of the project' }),
    created_at: dateTime(),
  })
  .meta({ id: 'TesterGroupGrant' });

export const testerGroupGrantPage = page('TesterGroupGrantPage', testerGroupGrant);

export const groupGrantBody = z
  .object({ project_id: id().optional(), channel_id: id().optional() })
  .meta({ id: 'TesterGroupGrantRequest', description: 'Either project_id or channel_id' });

export const inGroupPath = z.object({ organization_id: id(), group_id: id() });
export const inGroupMemberPath = z.object({ organization_id: id(), group_id: id(), member_id: id() });
export const inGroupGrantPath = z.object({ organization_id: id(), group_id: id(), grant_id: id() });

export type TesterGroup = z.input<typeof testerGroup>;
export type CreateGroup = z.output<typeof createGroupBody>;
export type EditGroup = z.output<typeof editGroupBody>;
export type TesterGroupMember = z.input<typeof testerGroupMember>;
export type TesterGroupGrant = z.input<typeof testerGroupGrant>;
export type GroupGrantBody = z.output<typeof groupGrantBody>;
