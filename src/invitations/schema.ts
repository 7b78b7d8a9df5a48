// Wire shapes of invitations into organizations and projects.
import { z } from 'zod';
import { emailAddress } from '../developers/schema.ts';
import { dateTime, id, page } from '../lib/shapes.ts';
import { organizationRole } from '../organizations/schema.ts';
import { projectRole } from '../projects/schema.ts';

const invitationFields = {
  identifier: id(),
  organization_id: id(),
  email: z.string(),
  invited_by: id()
    .nullable()
    .meta({ description: 'Inviting developer; null for a project access token or a deleted account' }),
  created_at: dateTime(),
  sent_at: dateTime().meta({ description: 'Time at which the newest link was created' }),
  expires_at: dateTime(),
};

const organizationInvitation = z
  .object({ ...invitationFields, role: organizationRole })
  .meta({ id: 'OrganizationInvitation' });

const projectInvitation = z
  .object({ ...invitationFields, project_id: id(), role: projectRole })
  .meta({ id: 'ProjectInvitation' });

const acceptUrl = {
  accept_url: z.string().meta({
    description:
      'Link to the invitation, shown only once. Only the account with ' + 'the invited, verified address can accept.',
  }),
};

export const newOrganizationInvitation = organizationInvitation
  .extend(acceptUrl)
  .meta({ id: 'NewOrganizationInvitation' });
export const newProjectInvitation = projectInvitation.extend(acceptUrl).meta({ id: 'NewProjectInvitation' });

export const organizationInvitationPage = page('OrganizationInvitationPage', organizationInvitation);
export const projectInvitationPage = page('ProjectInvitationPage', projectInvitation);

export const organizationInvitationInput = z
  .object({ email: emailAddress(), role: organizationRole })
  .meta({ id: 'OrganizationInvitationInput' });

export const projectInvitationInput = z
  .object({ email: emailAddress(), role: projectRole })
  .meta({ id: 'ProjectInvitationInput' });

export const inOrganizationInvitationPath = z.object({ organization_id: id(), invite_id: id() });
export const inProjectInvitationPath = z.object({ project_id: id(), invite_id: id() });

const kind = z.enum(['organization', 'project']).meta({ id: 'InvitationKind' });
const roleOfEither = z.union([organizationRole, projectRole]);

export const ofKind = z.object({ kind });
export const inPreviewPath = z.object({ kind, token: z.string().max(200) });

export const acceptedInvitation = z
  .object({
    organization_id: id(),
    project_id: id().nullable().meta({ description: 'Null for an invitation to the organization' }),
    role: roleOfEither.meta({ description: 'Current role; accepting never lowers it' }),
  })
  .meta({ id: 'AcceptedInvitation' });

export const invitationPreview = z
  .object({
    kind,
    organization_id: id(),
    organization_name: z.string(),
    project_id: id().nullable(),
    project_name: z.string().nullable(),
    role: roleOfEither,
    inviter_name: z.string().nullable(),
    expires_at: dateTime(),
  })
  .meta({ id: 'InvitationPreview' });

export type InvitationKind = z.output<typeof kind>;
export type OrganizationInvitation = z.input<typeof organizationInvitation>;
export type ProjectInvitation = z.input<typeof projectInvitation>;
export type NewOrganizationInvitation = z.input<typeof newOrganizationInvitation>;
export type NewProjectInvitation = z.input<typeof newProjectInvitation>;
export type OrganizationInvitationInput = z.output<typeof organizationInvitationInput>;
export type ProjectInvitationInput = z.output<typeof projectInvitationInput>;
export type AcceptedInvitation = z.input<typeof acceptedInvitation>;
export type InvitationPreview = z.input<typeof invitationPreview>;
