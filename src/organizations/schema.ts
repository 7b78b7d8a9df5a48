// Wire shapes of organizations.
import { lockReasons } from '../lib/lock-reasons.ts';
import { dateTime, id, nameLine } from '../lib/shapes.ts';
import { tiers } from '../lib/tiers.ts';
import * as z from '../lib/zod.ts';
import { organizationRoles } from '../permissions.ts';

export const organizationRole = z.enum(organizationRoles).meta({ id: 'OrganizationMemberRole' });

export const organization = z
  .object({
    identifier: id(),
    name: z.string(),
    tier: z.enum(tiers),
    role: organizationRole.nullable().meta({
      description: 'Role of the caller; null for a project access token, which only has a role in its project',
    }),
    has_icon: z.boolean(),
    icon_url: z.string().nullable(),
    email_sign_in_allowed: z.boolean().meta({
      description: 'Whether sessions that began with a code or link in an email work in this organization',
    }),
    lock_reason: z.enum(lockReasons).nullable().meta({
      description: 'Why writes are rejected; null if they are not, and without billing',
    }),
    created_at: dateTime(),
  })
  .meta({ id: 'Organization' });

/** The longest name of an organization in characters. */
export const MAX_ORGANIZATION_NAME = 100;

export const organizationInput = z.object({ name: nameLine(MAX_ORGANIZATION_NAME) }).meta({ id: 'OrganizationInput' });
export const organizationChange = organizationInput
  .partial()
  .extend({ email_sign_in_allowed: z.boolean().optional() })
  .meta({ id: 'OrganizationChange' });
export type Organization = z.input<typeof organization>;
export type OrganizationInput = z.output<typeof organizationInput>;
export type OrganizationChange = z.output<typeof organizationChange>;
