// English texts of the pages of an enrollment.
import type { DeviceTexts } from './texts.ts';

export const english: DeviceTexts = {
  language: 'en',
  direction: 'ltr',
  device: { iphone: 'iPhone', ipad: 'iPad', device: 'device' },

  profileTitle: (organization) => `Register this device with ${organization}`,
  profileDescription: (organization) =>
    `Tells ${organization} the identifier (UDID), model and system version of this device, so that test builds can be made to run on it. It changes no settings and does not stay installed.`,

  enrollTitle: (device) => `Register this ${device}`,
  enrollIntro: (organization) =>
    `${organization} wants to make test builds that run on it. iOS runs such builds on registered devices only.`,
  download: 'Download the profile',
  stepsTitle: 'What happens next',
  steps: (device) => [
    'Tap “Download the profile” and then “Allow”. iOS says that the profile was downloaded.',
    'Open Settings and tap “Profile Downloaded” near the top. If it is not there, look under General › VPN & Device Management.',
    `Tap “Install” at the top right, enter the passcode of this ${device} and tap “Install” again.`,
    'Safari opens by itself and shows what you can install.',
  ],
  trouble: 'Something went wrong?',
  troubles: (device) => [
    {
      title: '“Profile Downloaded” is not in Settings',
      text: 'iOS forgets a downloaded profile after eight minutes. Download it again and go to Settings at once.',
    },
    {
      title: 'The profile is “Not Verified”',
      text: `This ${device} does not know the certificate that the profile is signed with. Go on if you trust the people who sent you this link.`,
    },
    {
      title: '“Profile Installation Failed”',
      text: `This ${device} does not reach the server, does not trust its certificate, or the link has ended. Check Wi-Fi and VPN, then download the profile again.`,
    },
  ],
  collectedTitle: 'What is collected, and why',
  collected: ['The identifier of the device (UDID)', 'Its model', 'The version of its system'],
  notCollected: 'Nothing else: not its name, telephone number, serial number or place, and nothing of what is on it.',
  purpose: (organization) =>
    `The people who manage ${organization} see it and register the identifier with Apple. They can delete it at any time.`,
  nothingStays: 'The profile changes no settings and does not stay on the device.',
  linkExpires: (when) => `This link ends ${when}.`,
  alreadyRegistered: (device, name) => ({
    title: `This ${device} is registered already`,
    text: `It is known as “${name}”. Do it again only if you were asked to.`,
  }),

  openInSafari: (app) => ({
    title: 'Open this page in Safari',
    text:
      app === null
        ? 'Profiles can be installed from Safari only.'
        : `You are looking at it inside ${app}, and profiles can be installed from Safari only.`,
  }),
  openInSafariButton: 'Open in Safari',
  openInSafariSteps: [
    'Tap the ••• , share or compass button at the edge of the screen.',
    'Choose Open in Safari or Open in browser.',
    'Or copy the link below and paste it into the address bar of Safari.',
  ],
  tryHere: 'Try it here anyway',
  address: 'Link to this page',

  desktop: {
    title: 'Open this page on your iPhone or iPad',
    text: 'Point its camera at the code and tap the link that appears.',
  },
  qrCode: 'QR code with the address of this page',

  android: {
    title: 'Nothing to do on Android',
    text: 'Android phones need no registration. Open the install link that your team sent you.',
  },
  httpsNeeded: {
    title: 'This server is not ready for iOS',
    text: 'iOS takes profiles over https only, and this server gives out http links. Whoever runs it has to set a base_url that starts with https://.',
  },
  trustFirst: (device) => ({
    title: 'Trust this server first',
    text: `It has a certificate of its own. A ${device} that does not trust it yet cannot send its answer.`,
  }),
  trustButton: 'How to trust it',
  cannotSign: {
    title: 'The profile could not be signed',
    text: 'The certificate that this server signs profiles with cannot be used. Whoever runs it finds the reason in its log, or with “taxiway check”.',
  },
  deadLink: {
    title: 'This link no longer works',
    text: 'Links to register a device last for an hour. Ask the person who sent it for a new one.',
  },

  resultTitle: (device) => `This ${device} is registered`,
  resultText: (name, ending) => `It is known as “${name}”. Its identifier ends in ${ending}.`,
  resultAgain: 'Nothing more is to be done here, and no profile was left on it.',
  ready: 'You can install now',
  waiting: {
    title: 'Waiting for a new build',
    text: 'Your team has to add this device to the provisioning profile and release a new build. Nothing is to be done on your side.',
  },
  unsuitable: 'Not for this device',
  install: 'Install',
  askForLink: 'Open it by the link that your team sent you.',
  version: (version, build) => `Version ${version} (${build})`,
  osTooOld: (needed) => `Needs ${needed} or later.`,
  profileExpired: 'This build has expired. Your team has to make a new one.',
  wrongFamily: 'Made for another kind of device.',
  notInstallable: 'This build cannot be installed on a device. Your team has to make another one.',
  nothingYet: {
    title: 'Nothing to install yet',
    text: 'Once your team has released a build that runs on this device, the link that it sends you will install it.',
  },
};
