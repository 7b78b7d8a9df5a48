// What the link of an invitation shows, and what people see of their own invitations.

import { sendsEmail } from '../config/sends-email.ts';
import type { App, Context, DeveloperContext } from '../core/context.ts';
import { type Page, type PageRequest, readPage } from '../core/paging.ts';
import { findDeveloperByEmail, isAbandoned, loadDeveloper } from '../developers/store.ts';
import { timestamp } from '../lib/clock.ts';
import { notFound } from '../lib/errors.ts';
import { loadOrganization } from '../organizations/store.ts';
import type { OrganizationRole, ProjectRole } from '../permissions.ts';
import { domainOfAddress } from '../saml/domain-name.ts';
import { serviceProvider } from '../saml/names.ts';
import { findRequiringOrganization } from '../sso/requirement.ts';
import { findDomainOwner, isMember } from '../sso/store.ts';
import { listOthers } from './acceptance.ts';
import { kindOf } from './record.ts';
import type { InvitationKind, InvitationPreview, InvitationSignUpOffer, OwnInvitation } from './schema.ts';
import { backedProjects } from './sender-role.ts';
import * as store from './store.ts';

/** An invitation found by the token of a link. */
export interface OpenedInvitation extends store.NamedInvitation {
  /**
   * What the link allows: the emailed one shows that its holder reads the address. The one that the inviter gets shows
   * nothing, but on a server that sends no email, the inviter is the only one who can pass a link on.
   */
  link: 'mailed' | 'passed_on' | 'copied';
}

/** Returns the open invitation of a link. Throws `not_found` for all others. */
export function openInvitation(app: App, kind: InvitationKind, token: string): OpenedInvitation {
  const tokenHash = app.secrets.hash(token);
  const found = store.findByToken(app, kind, tokenHash);
  if (found === undefined) throw notFound();
  const isMailed = found.invitation.mailedTokenHash === tokenHash;
  const otherwise = sendsEmail(app.config) ? 'copied' : 'passed_on';
  return { ...found, link: isMailed ? 'mailed' : otherwise };
}

/** Returns the preview of an invitation for a valid link. Throws `not_found` for all others. */
export function previewInvitation(ctx: Context, kind: InvitationKind, token: string): InvitationPreview {
  const opened = openInvitation(ctx, kind, token);
  return { ...toFacts(ctx, opened), sign_up: opened.link === 'copied' ? null : toOffer(ctx, opened) };
}

function toFacts(app: App, { invitation, organizationName, projectName, inviterName }: store.NamedInvitation) {
  const granted = backedProjects(app, invitation);
  const names = store.findProjectNames(
    app,
    invitation.organizationId,
    granted.map((entry) => entry.project_id),
  );
  return {
    kind: kindOf(invitation) as InvitationKind,
    organization_id: invitation.organizationId,
    organization_name: organizationName,
    project_id: invitation.projectId,
    project_name: projectName,
    role: invitation.role as OrganizationRole | ProjectRole,
    projects: granted.flatMap((entry) => {
      const name = names.get(entry.project_id);
      return name === undefined ? [] : [{ ...entry, name }];
    }),
    inviter_name: inviterName,
    expires_at: timestamp(invitation.expiresAt),
  };
}

/** A link that wasn't emailed doesn't reveal whether the address has an account, or what else it is invited to. */
function toOffer(app: App, opened: OpenedInvitation): InvitationSignUpOffer {
  const { invitation, link } = opened;
  const { email } = invitation;
  const isMailed = link === 'mailed';
  const existing = isMailed ? findDeveloperByEmail(app, email) : undefined;
  const isExisting = existing !== undefined && existing.emailVerifiedAt !== null;
  const isOpen = app.config.accounts.signup !== 'closed';
  const sso = findRequiredSso(app, opened);
  return {
    email,
    account: isMailed ? (isExisting ? 'existing' : 'new') : null,
    is_open: isOpen,
    also: isMailed && !isExisting && isOpen && sso === undefined ? listOtherOrganizations(app, invitation) : [],
    sso_login_url: sso?.loginUrl ?? null,
  };
}

/** Returns the names of the other organizations that a sign-up with the emailed link joins. */
function listOtherOrganizations(app: App, first: store.InvitationRow): string[] {
  const ids = listOthers(app, first, findRequiringOrganization(app, first.email))
    .map(({ organizationId }) => organizationId)
    .filter((id) => id !== first.organizationId);
  const names = [...new Set(ids)].map((id) => loadOrganization(app, id).name);
  return [...new Set(names)];
}

/**
 * Returns where to sign in if an organization requires single sign-on for the invited address: the inviting one, or one that the
 * unverified account is a member of, which the emailed link would take over.
 */
export function findRequiredSso(
  app: App,
  { invitation: { email, organizationId }, link }: Pick<OpenedInvitation, 'invitation' | 'link'>,
): { loginUrl: string } | undefined {
  const required = findRequiringOrganization(app, email);
  if (required === undefined) return undefined;
  const existing = link === 'mailed' ? findDeveloperByEmail(app, email) : undefined;
  const isKept = existing !== undefined && existing.emailVerifiedAt === null && !isAbandoned(existing);
  const applies = required === organizationId || (isKept && isMember(app, required, existing.id));
  return applies ? { loginUrl: serviceProvider(app, required).loginUrl } : undefined;
}

/** Returns whether the domain of an address was verified by another organization, which can tell who reads it. */
export function isDomainOfOthers(
  app: App,
  { email, organizationId }: Pick<store.InvitationRow, 'email' | 'organizationId'>,
): boolean {
  const domain = domainOfAddress(email);
  const owner = domain === undefined ? undefined : findDomainOwner(app, domain);
  return owner !== undefined && owner.organizationId !== organizationId;
}

/** Fewer than in other lists, because the roles of each sender are looked up. */
const MAX_OWN = 50;

/** Returns the open invitations to the caller's verified address, newest first. */
export function listOwnInvitations(ctx: DeveloperContext, request: PageRequest): Page<OwnInvitation> {
  const { email, emailVerifiedAt } = loadDeveloper(ctx, ctx.actor.id);
  const now = ctx.clock.time();
  return readPage(
    ctx,
    { ...request, limit: Math.min(request.limit ?? MAX_OWN, MAX_OWN) },
    (before, limit) => (emailVerifiedAt === null ? [] : store.listInvitationsOf(ctx, { email, now, before, limit })),
    (row) => ({ identifier: row.id, ...toFacts(ctx, row) }),
  );
}
