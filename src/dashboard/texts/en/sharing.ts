// Texts about share links, with which people without an account install, and about other links and secrets that are passed on.

import type { ShareLinkState } from '../../../install/share-link-states.ts';
import { MIN_PASSWORD_LENGTH } from '../../../share-links/limits.ts';

const states: Record<ShareLinkState, string> = {
  active: 'Active',
  used_up: 'Used up',
  expired: 'Expired',
  revoked: 'Revoked',
  build_revoked: 'Build revoked',
  creator_lacks_role: 'Inactive',
};

export const sharing = {
  localLinkHint: "Phones can't open this address. In config.toml, set an address that they can reach:",
  secretShownOnce: "You won't be able to see this again. Copy it now.",
  secretSaved: "I've saved it in a safe place",
  share: 'Share',
  title: (name: string) => `Share ${name}`,
  teamTitle: 'For your team',
  teamHint:
    'Members who can download builds sign in and install. Testers can, while the build is live on their channel.',
  teamLink: 'Team link',
  linksTitle: 'For people without an account',
  channelHint: 'Anyone with the link can install what is live on this channel, even if the channel is private.',
  buildHint: 'Anyone with the link can install this build, even if it was never released.',
  create: 'Create link',
  expires: 'Expires',
  never: 'Never',
  inHours: (hours: number) => (hours === 1 ? 'In 1 hour' : `In ${hours} hours`),
  inDays: (days: number) => (days === 1 ? 'In 1 day' : `In ${days} days`),
  maxInstalls: 'Maximum installs',
  unlimited: 'Unlimited',
  password: 'Password',
  passwordHint: `At least ${MIN_PASSWORD_LENGTH} characters`,
  note: 'Note',
  noteHint: 'Shown only to your team',
  createdTitle: 'Share link',
  createdHint: 'Send the link, or let people scan the code.',
  createdHintPassword: 'Send the link and, separately, its password.',
  shownOnce: 'The link is shown only now. If you lose it, create another one.',
  listTitle: 'Links',
  states,
  inactiveHint: 'Its creator can no longer manage share links here.',
  installs: (count: number) => (count === 1 ? '1 install' : `${count} installs`),
  installsOf: (count: number, max: number) => `${count} of ${max === 1 ? '1 install' : `${max} installs`}`,
  withPassword: 'password',
  expiresAt: 'expires {time}',
  expiredAt: 'expired {time}',
  revokedAt: 'revoked {time}',
  neverExpires: 'never expires',
  unnamed: 'Share link',
  revoke: 'Revoke',
  revokeNamed: (name: string) => `Revoke ${name}`,
  revokeTitle: (name: string) => `Revoke the link “${name}”?`,
  revokeEffect: 'It stops working for everyone, including people who have already opened it.',
  revoked: 'Link revoked',
};
