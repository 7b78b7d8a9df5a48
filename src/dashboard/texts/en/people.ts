// Texts about the members of an organization or project.
import { englishLifetime, INVITATION_LIFETIME_MS } from '../../../lib/lifetimes.ts';

export const people = {
  search: {
    label: 'Search by name or email',
    found: (count: number) =>
      count === 0 ? 'No one matches.' : count === 1 ? '1 person found' : `${count} people found`,
    foundSoFar: (count: number) => `${count === 1 ? '1 person' : `${count} people`} found so far`,
  },
  title: 'Members',
  members: 'Members',
  none: 'No members yet.',
  projectHint: 'Managers and admins of the organization have access to every project without being listed here.',
  invitations: 'Invitations',
  invite: 'Invite',
  inviteTitle: 'Invite people',
  send: { mailed: 'Send invitation', unmailed: 'Create invitation' },
  sendMany: {
    mailed: (count: number) => `Send ${count} invitations`,
    unmailed: (count: number) => `Create ${count} invitations`,
  },
  emails: 'Email addresses',
  emailsHint:
    'Separate addresses with commas or line breaks. You can also paste "Name <address>" or CSV with a header.',
  invalidAddresses: (some: readonly string[], total: number) =>
    `Not an email address: ${some.join(', ')}${total > some.length ? ` and ${total - some.length} more` : ''}`,
  tooManyAddresses: (count: number, most: number) => `These are ${count} addresses. Invite at most ${most} at a time.`,
  projects: 'Projects',
  projectCount: (count: number) => (count === 1 ? '1 project' : `${count} projects`),
  roleIn: (project: string) => `Role in ${project}`,
  progress: (done: number, total: number) => `${done} of ${total}`,
  results: 'Results',
  resultsTitle: {
    mailed: (invited: number, total: number) => `${invited} of ${total} people invited.`,
    unmailed: (invited: number, total: number) => `${invited} of ${total} invitations created.`,
  },
  resultsLinks:
    "This server doesn't send email, so send each person their link yourself. The links are shown only once.",
  allLinks: 'all links',
  linkOf: (email: string) => `invitation link for ${email}`,
  outcomes: {
    invited: { mailed: 'Invited', unmailed: 'Link created' },
    member: 'Already a member',
    already: 'Already invited',
    failed: 'Not invited',
  },
  states: { declined: 'Declined', lapsed: 'Lapsed', emailFailed: 'Email failed', emailPending: 'Sending email' },
  lapsedReason: "The sender's role changed, so the invitation no longer works. Invite the person again.",
  emailFailedHint:
    'The email could not be delivered. Check the address. If you resend it, you also get a link for people who have an account.',
  role: 'Role',
  roleOf: (name: string) => `Role of ${name}`,
  you: 'you',
  sent: { mailed: 'sent', unmailed: 'created' },
  expires: 'expires {time}',
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
    `This server doesn't send email, so send ${email} this link yourself. With it, they can create their account and join. Don't pass it to anyone else. The link is shown once and expires in ${englishLifetime(INVITATION_LIFETIME_MS)}.`,
  lowerRole: 'Lower my role',
  lowerRoleTitle: (role: string) => `Change your role to ${role}?`,
  lowerRoleEffect: (role: string) => `You're no longer ${role} and can't undo this yourself.`,
  lowerRoleOfTitle: (name: string, role: string) => `Change the role of ${name} to ${role}?`,
  changeRole: 'Change role',
  roleEnds:
    "Their tokens and share links only work as far as the new role allows. Join links and invitations that it doesn't allow are revoked permanently.",
  ownRoleEnds:
    "Your tokens and share links only work as far as the new role allows. Join links and invitations that it doesn't allow are revoked permanently.",
  leave: 'Leave',
  leaveTitle: 'Leave?',
  leaveEffect:
    'You lose access immediately, and the tokens, share links, join links and invitations that you created stop working here. To come back, you need a new invitation.',
  removeOf: (name: string) => `Remove ${name}`,
  removeTitle: (name: string) => `Remove ${name}?`,
  removeEffect: (email: string) =>
    `${email} loses access immediately, and the tokens, share links, join links and invitations that they created stop working here. Their uploads stay.`,
};
