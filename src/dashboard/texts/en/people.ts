// Texts about the members of an organization or project.
import { englishLifetime, INVITATION_LIFETIME_MS } from '../../../lib/lifetimes.ts';

export const people = {
  title: 'Members',
  members: 'Members',
  none: 'No members yet.',
  projectHint: 'Managers and admins of the organization have access to every project without being listed here.',
  invitations: 'Pending invitations',
  invite: 'Invite',
  send: { mailed: 'Send invitation', unmailed: 'Create invitation' },
  email: 'Email address',
  role: 'Role',
  roleOf: (name: string) => `Role of ${name}`,
  you: 'you',
  sent: { mailed: 'sent', unmailed: 'created' },
  expires: 'expires',
  resend: { mailed: 'Resend email', unmailed: 'Create new link' },
  resent: (email: string) => `Invitation resent to ${email}`,
  resendTo: {
    mailed: (email: string) => `Resend email to ${email}`,
    unmailed: (email: string) => `Create new link for ${email}`,
  },
  revoke: 'Revoke',
  revokeOf: (email: string) => `Revoke the invitation of ${email}`,
  revokeTitle: (email: string) => `Revoke the invitation of ${email}?`,
  revokeEffect: 'Its link stops working immediately.',
  invited: (email: string) => `Invitation sent to ${email}`,
  link: 'invitation link',
  linkTitle: (email: string) => `Invitation for ${email}`,
  linkText: (email: string) =>
    `This server doesn't send email, so send ${email} this link yourself. Only they can accept, signed in with that address. The link is shown once and expires in ${englishLifetime(INVITATION_LIFETIME_MS)}.`,
  lowerRole: 'Lower my role',
  lowerRoleTitle: (role: string) => `Change your role to ${role}?`,
  lowerRoleEffect: (role: string) => `You're no longer ${role} and can't undo this yourself.`,
  leave: 'Leave',
  leaveTitle: 'Leave?',
  leaveEffect: 'You lose access immediately. To come back, you need a new invitation.',
  removeOf: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove ${name}?`,
  removeEffect: (email: string) =>
    `${email} loses access immediately, and their tokens stop working here. Their uploads stay.`,
};
