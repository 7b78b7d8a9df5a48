// Texts about feeds, which app stores on phones read.
import type { FeedKind } from '../../../feeds/kinds.ts';

export const feeds = {
  title: 'Feeds',
  hint: (stores: string) =>
    stores === ''
      ? 'Follow releases in a feed reader.'
      : `Install and update with ${stores}, or follow releases in a feed reader.`,
  show: 'Show addresses',
  open: 'Feeds',
  of: (channel: string) => `Feeds of ${channel}`,
  kinds: {
    fdroid: 'F-Droid repository',
    obtainium: 'Obtainium (source: HTML)',
    latest_apk: 'Newest package',
    altstore: 'AltStore and SideStore source',
    atom: 'Atom feed',
  } satisfies Record<FeedKind, string>,
  fingerprint: 'Fingerprint of the repository',
  qrLabel: 'QR code that adds the repository to F-Droid',
  qrHint: 'Scan it with a phone that has F-Droid, or open this page there:',
  openFdroid: 'Add to F-Droid',
  openObtainium: 'Add to Obtainium',
  help: 'How to add each client',
  privateHint:
    'This channel is private. Create an address of your own, and keep it secret: anyone who knows it can install as you. It works as long as you can install from the channel.',
  create: 'Create addresses',
  note: 'What it is for',
  unnamed: 'Feed token',
  created: 'Created',
  shownOnce: 'These addresses are only shown now. They contain your secret token.',
  revoke: 'Revoke',
  revokeNamed: (note: string) => `Revoke ${note}`,
  revokeEffect: 'Clients with its addresses stop getting updates.',
};
