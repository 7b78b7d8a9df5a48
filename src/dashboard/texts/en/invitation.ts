// Texts about invitations and roles.
import type { OrganizationRole, ProjectRole } from '../../../permissions.ts';

export const invitation = {
  title: (organization: string) => `Join ${organization}`,
  toOrganization: (inviter: string | null, organization: string) =>
    `${inviter ?? 'Someone'} invited you to the organization ${organization}.`,
  toProject: (inviter: string | null, project: string, organization: string) =>
    `${inviter ?? 'Someone'} invited you to the project ${project} of ${organization}.`,
  toChannel: (channel: string, project: string) => `You're invited to test ${project} on the channel ${channel}.`,
  role: 'Your role',
  expires: 'Expires',
  pendingExpires: 'Expires {time}',
  accept: 'Accept invitation',
  signedInAs: (email: string) => `Signed in as ${email}.`,
  useAnotherAccount: 'Use another account',
  needsAccount: 'Sign in or sign up. If the invitation is for an email address, use that address.',
  signIn: 'Sign in to accept',
  signUp: 'Sign up to accept',
  projects: 'Projects',
  isFor: (email: string) => `The invitation is for ${email}.`,
  join: 'Join',
  passkeyCanceled: 'No passkey was created. Try again, or use a password.',
  also: (organizations: readonly string[]) => `You also join ${organizations.join(', ')}, where you have been invited.`,
  hasAccount: (email: string) => `${email} already has an account. Sign in to accept.`,
  closed: (email: string) =>
    `Sign-up is disabled on this server. Sign in as ${email}, or ask the server's operator for an account.`,
  needsSso: (email: string) => `${email} signs in through the identity provider of this organization.`,
  sso: 'Continue to your identity provider',
  orSignIn: 'Already have an account?',
  signInShort: 'Sign in',
  pending: (count: number): string => (count === 1 ? 'Pending invitation' : 'Pending invitations'),
  acceptShort: 'Accept',
  acceptOf: (name: string) => `Accept the invitation to ${name}`,
  decline: 'Decline',
  declineOf: (name: string) => `Decline the invitation to ${name}`,
  declined: 'Invitation declined',
  invalidTitle: 'This invitation no longer works',
  invalid:
    "It was used or revoked, it expired, or the link is incomplete. If you haven't accepted it, ask for a new one.",
  refused: {
    title: "You can't accept this invitation",
    text: "It's for another email address or no longer works. Ask for a new one.",
  },
  locked: {
    title: "You can't join right now",
    text: "The organization currently can't add people. Contact the person who invited you.",
  },
  accepted: 'Invitation accepted',
  testerAccepted: {
    mailed: "You can test now. We'll email you about new releases; open the link on your phone.",
    unmailed: 'You can test now. Open this page on your phone to install.',
  },
};

/** Names of roles. Also indexed by any other text of a response. */
type RoleTexts<Role extends string> = Record<Role, string> & Record<string, string>;

export const roles: {
  organization: RoleTexts<OrganizationRole>;
  organizationHints: RoleTexts<OrganizationRole>;
  project: RoleTexts<ProjectRole>;
} = {
  organization: { member: 'Member', manager: 'Manager', admin: 'Admin' },
  organizationHints: {
    member: "Sees projects they're invited to",
    manager: 'Works in every project, invites people, manages testers',
    admin: 'Full access, including sign-in policy and audit trail',
  },
  project: {
    read: 'Read',
    read_download: 'Read + download',
    read_download_upload: 'Read + download + upload',
    maintainer: 'Maintainer',
    admin: 'Admin',
  },
};
