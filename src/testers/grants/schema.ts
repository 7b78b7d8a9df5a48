// Wire shapes of the access of single testers to organizations and projects.
import { emailAddress } from '../../developers/schema.ts';
import { dateTime, id, page } from '../../lib/shapes.ts';
import * as z from '../../lib/zod.ts';

export const testerStatus = z
  .enum(['active', 'pending'])
  .meta({ id: 'TesterStatus', description: 'pending until a verified account has the address; it never expires' });

export const isVerified = z.boolean().meta({
  description:
    'Whether the email address of the account is verified, which is required for installing. False while pending',
});

export const testerGrant = z
  .object({
    identifier: id(),
    organization_id: id(),
    project_id: id().nullable().meta({ description: 'Null for the whole organization' }),
    email: z.string().meta({ description: 'Address of the account, or the invited address while pending' }),
    status: testerStatus,
    is_verified: isVerified,
    developer_id: id().nullable().meta({ description: 'Null while pending' }),
    display_name: z.string().nullable(),
    granted_by_developer_id: id().nullable(),
    created_at: dateTime(),
    attached_at: dateTime().nullable().meta({ description: 'Time at which an account got the access' }),
    notified_at: dateTime().meta({ description: 'Time of the last email about it' }),
  })
  .meta({ id: 'TesterGrant' });

export const testerGrantPage = page('TesterGrantPage', testerGrant);

export const testerInput = z.object({ email: emailAddress() }).meta({ id: 'TesterInput' });

export const inOrganizationGrantPath = z.object({ organization_id: id(), grant_id: id() });
export const inProjectGrantPath = z.object({ project_id: id(), grant_id: id() });

export type TesterGrant = z.input<typeof testerGrant>;
