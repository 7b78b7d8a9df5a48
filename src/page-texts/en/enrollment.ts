// English texts of the pages of an enrollment.

import { ENROLLMENT_LIFETIME_MS, englishLifetime } from '../../lib/lifetimes.ts';
import type { EnrollmentTexts } from '../enrollment-texts.ts';
import { profileDialogs } from './dialogs.ts';

export const enrollment: EnrollmentTexts = {
  language: 'en',
  direction: 'ltr',
  device: { iphone: 'iPhone', ipad: 'iPad', device: 'device' },

  profileTitle: (organization) => `Register this device with ${organization}`,
  profileDescription: (organization) =>
    `Sends the identifier (UDID), model and system version of this device to ${organization}, so that test builds can run on it. The profile doesn’t change settings and doesn’t stay installed.`,

  enrollTitle: (device) => `Register this ${device}`,
  enrollIntro: (organization) =>
    `${organization} wants to send you test builds. iOS runs them only on registered devices.`,
  download: 'Download profile',
  stepsTitle: 'Next steps',
  pictures: {
    ...profileDialogs,
    install: {
      label: 'The profile before it is installed. The button Install at the top right is marked.',
      title: 'Install Profile',
      go: 'Install',
    },
  },
  steps: (device, returnsToApp) => [
    'Tap “Download profile” and then “Allow”. iOS confirms that the profile was downloaded.',
    'Open Settings and tap “Profile Downloaded” near the top. If it isn’t there, open General › VPN & Device Management.',
    `Tap “Install” at the top right, enter the passcode of this ${device} and tap “Install” again.`,
    returnsToApp
      ? 'Safari opens automatically and returns to the page of the app.'
      : 'Safari opens automatically and shows the available apps.',
  ],
  trouble: 'Problems registering?',
  troubles: (device) => [
    {
      title: '“Profile Downloaded” isn’t in Settings',
      text: 'iOS discards a downloaded profile after eight minutes. Download it again and open Settings immediately.',
    },
    {
      title: 'The profile is “Not Verified”',
      text: `This ${device} doesn’t know the certificate that signed the profile. Continue only if you trust the people who sent you this link.`,
    },
    {
      title: '“Profile Installation Failed”',
      text: `This ${device} can’t reach the server, doesn’t trust its certificate, or the link has expired. Check Wi-Fi and VPN, then download the profile again.`,
    },
  ],
  collectedTitle: 'Collected data',
  collected: ['The identifier of the device (UDID)', 'Its model', 'The version of its system'],
  notCollected: 'Nothing else: not its name, phone number, serial number or location, and no content of the device.',
  purpose: (organization) =>
    `Members of ${organization} can see the model and the system version. Managers and admins also see the identifier, register it with Apple, and can delete this data at any time.`,
  nothingStays: 'The profile doesn’t change settings and doesn’t stay on the device.',
  linkExpires: (when) => `This link expires ${when}.`,
  alreadyRegistered: (device, name) => ({
    title: `This ${device} is already registered`,
    text: `Its name is “${name}”. Register it again only if you were asked to.`,
  }),

  openInSafari: (app) => ({
    title: 'Open this page in Safari',
    text:
      app === null
        ? 'Profiles can only be installed in Safari.'
        : `This page is open inside ${app}. Profiles can only be installed in Safari.`,
  }),
  openInSafariButton: 'Open in Safari',
  openInSafariSteps: [
    'Tap the ••• , share or compass button at the edge of the screen.',
    'Choose Open in Safari or Open in browser.',
    'Or copy the link below and paste it into the address bar of Safari.',
  ],
  tryHere: 'Try here anyway',
  address: 'Link to this page',

  desktop: {
    title: 'Open this page on your iPhone or iPad',
    text: 'Point the camera at the code and tap the link.',
  },
  qrCode: 'QR code with the address of this page',
  localAddress: 'Phones can’t open this address. In config.toml, set an address that they can reach: server.base_url',

  android: {
    title: 'Not required on Android',
    text: 'Android phones don’t have to be registered. Open the install link from your team.',
  },
  httpsNeeded: {
    title: 'This server isn’t ready for iOS',
    text: 'iOS accepts profiles only over https, but this server uses http. Its operator must configure a base_url that starts with https://.',
  },
  trustFirst: (device) => ({
    title: 'Trust this server first',
    text: `The server uses its own certificate. A ${device} that doesn’t trust it yet can’t be registered.`,
  }),
  trustButton: 'Show steps',
  cannotSign: {
    title: 'We couldn’t sign the profile',
    text: 'The certificate for signing profiles is invalid. The operator of this server finds the reason in the log or with “taxiway check”.',
  },
  deadLink: {
    title: 'This link no longer works',
    text: `Registration links expire after ${englishLifetime(ENROLLMENT_LIFETIME_MS)}, or earlier if the organization or the channel no longer accepts devices. Ask the person who sent it for a new one.`,
  },

  resultTitle: (device) => `This ${device} is registered`,
  resultText: (name, ending) => `Its name is “${name}”. Its identifier ends in ${ending}.`,
  resultAgain: 'Registration is complete. The profile was removed again.',
  ready: 'Ready to install',
  waiting: {
    title: 'Waiting for a new build',
    text: 'Your team must add this device to the provisioning profile and release a new build. You don’t have to do anything.',
  },
  waitingAtApple: {
    title: 'Waiting for a new build',
    text: 'This device is registered with Apple. Your team must release a new build that includes it. You don’t have to do anything.',
  },
  unsuitable: 'Not compatible with this device',
  install: 'Install',
  askForLink: 'Open the install link from your team.',
  version: (version, build) => `Version ${version} (${build})`,
  osTooOld: (needed) => `Requires ${needed} or later.`,
  profileExpired: 'This build has expired. Your team must create a new one.',
  wrongFamily: 'This build is for another type of device.',
  notInstallable: 'This build can’t be installed on any device. Your team must create a new one.',
  nothingYet: {
    title: 'Nothing to install yet',
    text: 'When your team has released a build for this device, you can install it with the install link from your team.',
  },
};
