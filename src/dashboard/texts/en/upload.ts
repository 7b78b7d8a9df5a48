// Texts about uploads.
import { packageFindings } from '../../../inspection/package-findings.ts';
import type { Platform } from '../../../platforms.ts';
import type { RejectionReason } from '../../upload/rejected-file.ts';

/** `limit` is the size that the server allows. */
const rejections: Record<RejectionReason, (platform: Platform, found: Platform, limit: string) => string> = {
  not_a_package: () => packageFindings.not_a_package,
  damaged: () => packageFindings.damaged,
  bundle: () => packageFindings.bundle,
  no_app: () => 'This archive contains no app.',
  unreadable: () => "This file can't be read.",
  wrong_platform: packageFindings.wrong_platform,
  too_large: (_platform, _found, limit) => `This file exceeds the server's size limit of ${limit}.`,
};

export const upload = {
  title: 'Uploads',
  count: (count: number) => (count === 1 ? '1 upload' : `${count} uploads`),
  percent: (percent: number) => `${Math.floor(percent)}%`,
  total: 'Total progress',
  failed: 'Failed',
  needsInput: 'Needs input',
  fold: 'Fold uploads',
  unfold: 'Unfold uploads',
  sentOf: (sent: string, total: string) => `${sent} of ${total}`,
  releaseWhenDone: 'Release when done',
  changeRelease: 'Change',
  newApp: (identifier: string | undefined, platform: string) =>
    identifier === undefined
      ? `The package doesn't name its app. Create an ${platform} project for it?`
      : `No project has the app ${identifier}. Create an ${platform} project for it?`,
  createProject: 'Create project and release',
  existingProject: 'Or upload it to an existing project:',
  chooseProject: (identifier: string | undefined, platform: string) =>
    identifier === undefined
      ? `The package doesn't name its app. Which ${platform} project is it for?`
      : `No single project has the identifier ${identifier}. Which ${platform} project is it for?`,
  noProject: (platform: string) => `You can't upload to any ${platform} project here. Create one first.`,
  dropInto: (project: string) => `Drop to upload into ${project}`,
  readingPackage: 'Reading the package…',
  starting: 'Starting…',
  checkingPackage: 'Checking the package…',
  perSecond: (size: string) => `${size}/s`,
  timeLeft: (time: string) => `${time} left`,
  cancel: 'Cancel upload',
  dismiss: 'Close',
  retry: 'Try again',
  connectionLost: "Connection lost. The upload continues automatically when it's back.",
  interrupted: 'Upload interrupted. Try again.',
  storageRejected: (status: number) => `The storage rejected the upload (HTTP ${status}).`,
  diskFull: 'The server is low on disk space.',
  diskFullText: 'Ask its operator to free some space, then try again.',
  storageBusy: "The storage can't take this upload right now. Try again in a moment.",
  linkExpired: 'The upload link may have expired. Try again to get a new one.',
  numberReserved: 'This build number is reserved for another upload',
  numberReservedText:
    'That upload expired. The server will release the version and build number within a few minutes. Then try again.',
  rejectedTitle: 'Not uploaded',
  refusals: rejections,
  incompleteHint: "We couldn't read everything from the package. Enter the rest:",
  numberTaken: 'This version and build number already exist or are being uploaded. Change one of them:',
  version: 'Version',
  buildNumber: 'Build number',
  wholeNumber: 'Enter a whole number',
  start: 'Start upload',
  done: 'Uploaded',
  doneUnreadable: "Uploaded, but we couldn't read the package.",
  open: 'Open build',
  channel: 'Channel',
  pickChannel: 'Release to…',
  noChannels: 'Create a channel to release it.',
  toChannels: 'Go to channels',
  release: 'Release',
  willRelease: (channel: string) => `Will be released to ${channel} when the upload is complete.`,
  releasing: 'Releasing…',
  released: (channel: string) => `Released to ${channel}.`,
  openChannel: 'Open channel',
};
