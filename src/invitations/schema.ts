// Wire shapes of invitations into organizations and projects.

import { emailAddress } from '../developers/schema.ts';
import { mailStates } from '../lib/mail-states.ts';
import { dateTime, id, page, pageQuery } from '../lib/shapes.ts';
import * as z from '../lib/zod.ts';
import { organizationRole } from '../organizations/schema.ts';
import { projectRole } from '../projects/schema.ts';

/** More than a person picks in a dialog, and few enough for one transaction. */
const MAX_PROJECTS = 50;

const projectRoleGrant = z.object({ project_id: id(), role: projectRole }).meta({ id: 'ProjectRoleGrant' });

const emailState = z
  .enum(mailStates)
  .nullable()
  .meta({ description: 'State of the newest email; kept if the server sends none, null if it is no longer known' });

const state = z.enum(['open', 'declined', 'lapsed']).meta({
  description:
    "lapsed if the sender's role fell below the granted one, or the sender's account was taken over by the owner of its address",
});

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
  state,
  email_state: emailState,
};

const grants = z.array(projectRoleGrant);

const organizationInvitation = z
  .object({
    ...invitationFields,
    role: organizationRole,
    projects: grants.meta({ description: 'Roles in projects that accepting also grants' }),
  })
  .meta({ id: 'OrganizationInvitation' });

const projectInvitation = z
  .object({ ...invitationFields, project_id: id(), role: projectRole })
  .meta({ id: 'ProjectInvitation' });

const acceptUrl = {
  accept_url: z.string().meta({
    description:
      'Link to pass on, shown only once; it differs from the emailed one. Only the account with the invited, verified ' +
      'address can accept. On a server that sends no email, it can also create that account.',
  }),
};

export const newOrganizationInvitation = organizationInvitation
  .extend(acceptUrl)
  .meta({ id: 'NewOrganizationInvitation' });
export const newProjectInvitation = projectInvitation.extend(acceptUrl).meta({ id: 'NewProjectInvitation' });

export const organizationInvitationPage = page('OrganizationInvitationPage', organizationInvitation);
export const projectInvitationPage = page('ProjectInvitationPage', projectInvitation);

export const organizationInvitationInput = z
  .object({
    email: emailAddress(),
    role: organizationRole,
    projects: grants
      .max(MAX_PROJECTS)
      .refine((list) => new Set(list.map((entry) => entry.project_id)).size === list.length, {
        message: 'Each project can only be listed once',
      })
      .default([])
      .meta({ description: 'Roles in projects of the organization that accepting also grants' }),
  })
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
    projects: grants.meta({ description: 'Current roles in the projects of an invitation to the organization' }),
  })
  .meta({ id: 'AcceptedInvitation' });

const invitationFacts = {
  kind,
  organization_id: id(),
  organization_name: z.string(),
  project_id: id().nullable(),
  project_name: z.string().nullable(),
  role: roleOfEither,
  projects: z
    .array(projectRoleGrant.extend({ name: z.string() }).meta({ id: 'NamedProjectRoleGrant' }))
    .meta({ description: 'Projects of an invitation to the organization' }),
  inviter_name: z.string().nullable(),
  expires_at: dateTime(),
};

const signUpOffer = z
  .object({
    email: z.string(),
    account: z
      .enum(['new', 'existing'])
      .nullable()
      .meta({ description: 'Whether the address has a verified account; null for a link that was not emailed' }),
    is_open: z.boolean().meta({ description: 'Whether sign-up is possible; false if it is closed on this server' }),
    also: z.array(z.string()).meta({
      description:
        'Organizations whose invitations are accepted as well, because the emailed link shows that the address is theirs',
    }),
    sso_login_url: z
      .string()
      .nullable()
      .meta({ description: 'Set if the organization requires its identity provider for this address' }),
  })
  .meta({ id: 'InvitationSignUpOffer' });

export const invitationPreview = z
  .object({
    ...invitationFacts,
    sign_up: signUpOffer.nullable().meta({
      description:
        'What the link offers to people without an account; null if it was not emailed, on a server that sends email',
    }),
  })
  .meta({ id: 'InvitationPreview' });

const ownInvitation = z.object({ identifier: id(), ...invitationFacts }).meta({ id: 'OwnInvitation' });
export const ownInvitationPage = page('OwnInvitationPage', ownInvitation);
export const inOwnInvitationPath = z.object({ invite_id: id() });

export const invitationListQuery = z.object({
  ...pageQuery,
  include: z
    .enum(['ended'])
    .optional()
    .meta({ description: 'ended also lists those that were declined or lapsed, until they expire' }),
});

export type InvitationKind = z.output<typeof kind>;
export type OrganizationInvitation = z.input<typeof organizationInvitation>;
export type ProjectInvitation = z.input<typeof projectInvitation>;
export type NewOrganizationInvitation = z.input<typeof newOrganizationInvitation>;
export type NewProjectInvitation = z.input<typeof newProjectInvitation>;
export type OrganizationInvitationInput = z.output<typeof organizationInvitationInput>;
export type ProjectInvitationInput = z.output<typeof projectInvitationInput>;
export type AcceptedInvitation = z.input<typeof acceptedInvitation>;
export type InvitationPreview = z.input<typeof invitationPreview>;
export type ProjectRoleGrant = z.output<typeof projectRoleGrant>;
export type InvitationSignUpOffer = z.input<typeof signUpOffer>;
export type OwnInvitation = z.input<typeof ownInvitation>;
