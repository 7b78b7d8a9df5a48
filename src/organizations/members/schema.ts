// Wire shapes of the members of an organization.
import { dateTime, id, page } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';
import { organizationRole } from '../schema.ts';

export const organizationMember = z
  .object({
    developer_id: id(),
    email: z.string(),
    display_name: z.string(),
    role: organizationRole,
    created_at: dateTime().meta({ description: 'Time at which the developer joined' }),
    deletion_pending: z.boolean().meta({
      description:
        'Whether the account is scheduled for deletion. An organization must have an admin for whom this is false',
    }),
  })
  .meta({ id: 'OrganizationMember' });

export const organizationMemberPage = page('OrganizationMemberPage', organizationMember);
export const organizationMemberChange = z.object({ role: organizationRole }).meta({ id: 'OrganizationMemberChange' });
export const inMemberPath = z.object({ organization_id: id(), developer_id: id() });

export type OrganizationMember = z.input<typeof organizationMember>;
export type OrganizationMemberChange = z.output<typeof organizationMemberChange>;
