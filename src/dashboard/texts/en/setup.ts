// Texts of the setup checklist.
import type { SetupStepName } from '../../../overviews/setup-schema.ts';

export const setup = {
  title: 'Setup',
  progress: (done: number, all: number) => `${done} of ${all} done`,
  hide: 'Hide checklist',
  show: 'Show setup checklist',
  hidden: 'Checklist hidden',
  done: 'Done',
  open: 'Open',
  steps: {
    address: 'An address that phones can reach',
    https: 'HTTPS',
    email: 'Email',
    project: 'The first project',
    phone: 'The first build on a phone',
    colleague: 'A colleague',
    backup: 'Backup',
  } satisfies Record<SetupStepName, string>,
  addressText: (address: string) =>
    `${address} works on this machine only. Add these lines to config.toml, with an address of this machine in your network, and restart the server.`,
  addressNext: 'Then open the dashboard at the new address. To see what phones still require, run:',
  httpsText: 'iPhones and iPads install only over https. Add these lines to config.toml and restart the server:',
  httpsInternal: (address: string) => `Each phone then has to trust the server once, at ${address}.`,
  httpsPublic: 'The certificate is requested when the server starts, and renewed automatically.',
  httpsDocs: 'Other ways, and servers behind a proxy',
  emailText:
    'Invitations and notices about releases are not sent yet. Add these lines to config.toml and restart the server:',
  emailTest: 'Check that the server can send email.',
  sendTest: 'Send test email',
  testSent: (address: string) => `Test email sent to ${address}`,
  projectText: 'Drop an .apk or .ipa file anywhere on this page, or choose it above.',
  phoneText: 'Scan the QR code of a channel with a phone, and install the build.',
  phoneFirst: 'Release a build to a channel first.',
  openChannel: 'Open channel',
  colleagueText: 'Members see the projects you add them to.',
  invite: 'Go to members',
  backupText: 'Copy the data folder and config.toml regularly, while the server is stopped:',
  backupDone: 'Backups are set up',
  backupConfirmed: 'Backup confirmed',
  backupDocs: 'How to restore a backup',
};
