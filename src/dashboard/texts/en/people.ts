// Words about the people of an organization or project.

export const people = {
  title: 'Members',
  members: 'Members',
  projectHint: 'Managers and administrators of the organization reach every project without being listed here.',
  invitations: 'Invitations on their way',
  invite: 'Invite',
  send: 'Send invitation',
  email: 'E-mail address',
  role: 'Role',
  roleOf: (name: string) => `Role of ${name}`,
  you: 'you',
  sent: 'sent',
  ends: 'ends',
  resend: 'Send again',
  resent: (email: string) => `Sent again to ${email}`,
  takeBack: 'Take back',
  invited: (email: string) => `An invitation is on its way to ${email}`,
  leave: 'Leave',
  leaveTitle: 'Leave?',
  leaveEffect: 'You lose access at once. Somebody has to invite you again to come back.',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeEffect: (email: string) =>
    `${email} loses access at once; tokens of theirs stop working here. What they uploaded stays.`,
};
