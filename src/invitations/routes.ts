// Operations for invitations to organizations and projects.
import { z } from 'zod';
import { anonymous, empty, fromPath, interactive, media, type Operation, operation } from '../http/operation.ts';
import { englishLifetime, INVITATION_LIFETIME_MS } from '../lib/lifetimes.ts';
import { inOrganizationPath, pageQuery } from '../lib/shapes.ts';
import { inProjectPath } from '../projects/schema.ts';
import { locateProject } from '../projects/store.ts';
import { acceptInput } from '../testers/invitations/schema.ts';
import { acceptInvitation, previewInvitation } from './acceptance.ts';
import { showInvitationPage } from './page.ts';
import {
  acceptedInvitation,
  inOrganizationInvitationPath,
  inPreviewPath,
  inProjectInvitationPath,
  invitationPreview,
  newOrganizationInvitation,
  newProjectInvitation,
  ofKind,
  organizationInvitationInput,
  organizationInvitationPage,
  projectInvitationInput,
  projectInvitationPage,
} from './schema.ts';
import {
  cancelOrganizationInvitation,
  cancelProjectInvitation,
  inviteIntoOrganization,
  inviteIntoProject,
  listOrganizationInvitations,
  listProjectInvitations,
  resendOrganizationInvitation,
  resendProjectInvitation,
} from './service.ts';

const tag = 'Invitations';
const ofOrganization = {
  kind: 'organization',
  permission: 'organization.manage_members',
  tenant: fromPath('organization_id'),
} as const;
const ofProject = {
  kind: 'project',
  permission: 'project.manage_members',
  tenant: fromPath('project_id', locateProject),
} as const;
const inOrganization = '/api/v1/organizations/{organization_id}/invites';
const inProject = '/api/v1/projects/{project_id}/invites';
const resending =
  `The email contains a new link that expires in ${englishLifetime(INVITATION_LIFETIME_MS)}. The previous link stops working. Responds with 429 for a few minutes after ` +
  "each email. Responds with 404 if the invitation was accepted or revoked, has expired or doesn't exist.";

export const invitationRoutes: Operation[] = [
  operation({
    id: 'inviteOrganizationMember',
    tag,
    summary: 'Invite a person to an organization by email',
    description: `The link expires in ${englishLifetime(INVITATION_LIFETIME_MS)}. Managers can only invite members. Admins can also invite managers and admins.`,
    method: 'post',
    path: inOrganization,
    access: ofOrganization,
    params: inOrganizationPath,
    body: organizationInvitationInput,
    returns: newOrganizationInvitation,
    status: 201,
    handle: (ctx, { body }) => inviteIntoOrganization(ctx, body),
  }),
  operation({
    id: 'listOrganizationInvites',
    tag,
    summary: 'List the open invitations to an organization',
    description: 'Without the invitations to its projects.',
    method: 'get',
    path: inOrganization,
    access: ofOrganization,
    params: inOrganizationPath,
    query: z.object(pageQuery),
    returns: organizationInvitationPage,
    status: 200,
    handle: (ctx, { query }) => listOrganizationInvitations(ctx, query),
  }),
  operation({
    id: 'resendOrganizationInvite',
    tag,
    summary: 'Resend an invitation to an organization',
    description: resending,
    method: 'post',
    path: `${inOrganization}/{invite_id}/resend`,
    access: ofOrganization,
    params: inOrganizationInvitationPath,
    returns: newOrganizationInvitation,
    status: 200,
    handle: (ctx, { params }) => resendOrganizationInvitation(ctx, params.invite_id),
  }),
  operation({
    id: 'deleteOrganizationInvite',
    tag,
    summary: 'Revoke an invitation to an organization',
    method: 'delete',
    path: `${inOrganization}/{invite_id}`,
    access: ofOrganization,
    params: inOrganizationInvitationPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => cancelOrganizationInvitation(ctx, params.invite_id),
  }),
  operation({
    id: 'inviteProjectMember',
    tag,
    summary: 'Invite a person to a project by email',
    description: `The person also becomes a member of the organization. The link expires in ${englishLifetime(INVITATION_LIFETIME_MS)}.`,
    method: 'post',
    path: inProject,
    access: ofProject,
    params: inProjectPath,
    body: projectInvitationInput,
    returns: newProjectInvitation,
    status: 201,
    handle: (ctx, { body }) => inviteIntoProject(ctx, body),
  }),
  operation({
    id: 'listProjectInvites',
    tag,
    summary: 'List the open invitations to a project',
    method: 'get',
    path: inProject,
    access: ofProject,
    params: inProjectPath,
    query: z.object(pageQuery),
    returns: projectInvitationPage,
    status: 200,
    handle: (ctx, { query }) => listProjectInvitations(ctx, query),
  }),
  operation({
    id: 'resendProjectInvite',
    tag,
    summary: 'Resend an invitation to a project',
    description: resending,
    method: 'post',
    path: `${inProject}/{invite_id}/resend`,
    access: ofProject,
    params: inProjectInvitationPath,
    returns: newProjectInvitation,
    status: 200,
    handle: (ctx, { params }) => resendProjectInvitation(ctx, params.invite_id),
  }),
  operation({
    id: 'deleteProjectInvite',
    tag,
    summary: 'Revoke an invitation to a project',
    method: 'delete',
    path: `${inProject}/{invite_id}`,
    access: ofProject,
    params: inProjectInvitationPath,
    returns: empty,
    status: 204,
    handle: (ctx, { params }) => cancelProjectInvitation(ctx, params.invite_id),
  }),
  operation({
    id: 'previewInvite',
    tag,
    summary: 'Preview an invitation',
    description: 'Requires only the link. Responds with 404 if the link is no longer valid.',
    method: 'get',
    path: '/api/v1/invites/{kind}/{token}/preview',
    access: anonymous,
    params: inPreviewPath,
    returns: invitationPreview,
    status: 200,
    handle: (ctx, { params }) => previewInvitation(ctx, params.kind, params.token),
  }),
  operation({
    id: 'showInvite',
    tag,
    summary: 'Page of an invitation link',
    method: 'get',
    path: '/invite/{kind}/{token}',
    access: anonymous,
    params: inPreviewPath,
    returns: media('text/html'),
    status: 200,
    handle: (ctx, { params }) => showInvitationPage(ctx, params.kind, params.token),
  }),
  operation({
    id: 'acceptInvite',
    tag,
    summary: 'Accept an invitation',
    description:
      'Only the account with the invited, verified address can accept. ' +
      'All others get 404. An existing role is never lowered.',
    method: 'post',
    path: '/api/v1/invites/{kind}/accept',
    access: interactive,
    params: ofKind,
    body: acceptInput,
    returns: acceptedInvitation,
    status: 200,
    errors: [402],
    handle: (ctx, { params, body }) => acceptInvitation(ctx, params.kind, body.invite_token),
  }),
];
