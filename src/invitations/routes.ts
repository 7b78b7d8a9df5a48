// Operations on invitations into organizations and projects.
import { z } from 'zod';
import { anonymous, empty, fromPath, interactive, media, type Operation, operation } from '../http/operation.ts';
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
  'The mail carries a new link, good for another 14 days; the one before stops. Refused with 429 for a few minutes after ' +
  'the last mail, the first one included. What is accepted, revoked, lapsed or never was answers 404.';

export const invitationRoutes: Operation[] = [
  operation({
    id: 'inviteOrganizationMember',
    tag,
    summary: 'Invite somebody into an organization by mail',
    description: 'The link is good for 14 days. Managers invite members; managers and admins are invited by admins.',
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
    summary: 'The open invitations into an organization',
    description: 'Those into its projects are listed there.',
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
    summary: 'Send an invitation into an organization again',
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
    summary: 'Take an invitation into an organization back',
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
    summary: 'Invite somebody into a project by mail',
    description: 'Whoever accepts becomes a member of the organization too. The link is good for 14 days.',
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
    summary: 'The open invitations into a project',
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
    summary: 'Send an invitation into a project again',
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
    summary: 'Take an invitation into a project back',
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
    summary: 'What an invitation leads to',
    description: 'Whoever holds the link may look. A link that works no more answers 404, whatever became of it.',
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
    summary: 'The page of an invitation link',
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
      'The link proves possession, the sign-in who it is: only the account with the invited address, verified, may accept. ' +
      'For everybody else the invitation does not exist. A role that is held already is never lowered.',
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
