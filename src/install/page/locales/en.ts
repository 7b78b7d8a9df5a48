// English texts of the phone pages.
import type { Texts } from './texts.ts';

export const english: Texts = {
  language: 'en',
  direction: 'ltr',
  device: { iphone: 'iPhone', ipad: 'iPad', android: 'phone' },
  pageTitle: (name) => `Install ${name}`,

  version: (version, build) => `Version ${version} (${build})`,
  size: 'Size',
  needs: 'Needs',
  orLater: (system) => `${system} or later`,
  released: 'Released',
  justNow: 'just now',
  changes: 'What changed',
  noChanges: 'No notes were written for this release.',
  details: 'About this release',
  channel: 'Channel',
  project: 'Project',
  kind: 'Kind',
  debugBuild: 'Debug build',

  install: 'Install',
  downloadAndInstall: 'Download and install',
  downloadPackage: 'Download the package (APK)',
  installOnIpad: 'On an iPad? Install here',
  installOnIpadHint: 'An iPad tells websites that it is a Mac, so this page cannot tell the two apart.',

  nextSteps: 'What happens next',

  iosSteps: (name, device) => [
    `Your ${device} asks whether to install “${name}”. Tap Install.`,
    'Nothing else changes on this page. Go to the Home Screen: the icon is there and fills up while the app loads.',
    'When the icon is no longer grey, tap it to open the app.',
  ],
  iosTrustStep:
    'Before the first start, open Settings › General › VPN & Device Management, tap the name of the company under Enterprise App and trust it.',
  iosDeveloperModeStep:
    'If iOS asks for Developer Mode, turn it on in Settings › Privacy & Security › Developer Mode and restart.',
  androidSteps: [
    'The browser downloads the app. If it warns about this kind of file, choose to download it anyway.',
    'Open the file from the notification or from Downloads.',
    'The first time, Android says that your browser may not install unknown apps. Tap Settings, allow this source, and go back.',
    'Tap Install. If Play Protect does not know the app, choose More details › Install anyway.',
  ],
  oldAndroidSteps: [
    'Open Settings › Security and turn on Unknown sources. You can turn it off again afterwards.',
    'Tap the button above. If the browser warns about this kind of file, choose to download it anyway.',
    'Open the file from the notification or from Downloads, and tap Install.',
  ],
  trouble: 'It does not install?',
  iosTrouble: (device) => [
    {
      title: 'Nothing happens after the tap',
      text: 'Wait for a minute and look at the Home Screen. Then open this page in Safari and try again.',
    },
    {
      title: '“Cannot connect”',
      text: `This ${device} could not reach the server, or does not trust its certificate. Check Wi-Fi and VPN. If this page has been open for a while, reload it first: its button works for 15 minutes.`,
    },
    {
      title: 'The icon stays grey',
      text: `Tap it to continue. Check that the ${device} has at least twice the size of the app free.`,
    },
  ],
  iosNotRegistered: (device) => ({
    title: '“Unable to install” or “integrity could not be verified”',
    text: `This ${device} is probably not registered. Ask your team for a registration link and open it here. It then takes a new build.`,
  }),
  androidTrouble: [
    {
      title: '“App not installed”',
      text: 'There are two usual reasons. This build is older than the installed one: Android refuses older builds, for example after your team rolled a release back. Or the installed app is signed with a different key. In both cases, uninstall the app first. Its data on the phone is lost.',
    },
    {
      title: '“There was a problem parsing the package”',
      text: 'The download broke off, or this phone is too old for the app. Download it again.',
    },
    {
      title: 'A Samsung phone refuses without asking',
      text: 'Open Settings › Security and privacy › Auto Blocker and turn it off. You can turn it on again afterwards.',
    },
    { title: 'Not enough storage', text: 'Free at least twice the size of the app.' },
  ],

  profileExpires: (when, day) => ({
    title: `This build expires ${when}`,
    text: `Its provisioning profile ends on ${day}. After that the app no longer opens, and you need a newer build.`,
  }),
  unreadable: {
    title: 'This package could not be read',
    text: 'Its name, version and signature could not be checked here. It may still install. Only go on if you trust the people who sent you this link.',
  },
  reinstall: (reason, version) => ({
    title: 'Not an update: remove the earlier copy first',
    text: {
      certificate: `This build is signed with another key than ${version}, which was offered here before. If you have that one, uninstall it first, or Android refuses this one. Its data on the phone is lost.`,
      downgrade: `This build is older than ${version}, which was offered here before. If you have that one, uninstall it first, or Android refuses this one. Its data on the phone is lost.`,
      team: `This build comes from another developer team than ${version}, which was offered here before. If you have that one, delete it first, or iOS refuses this one. Its data on the device is lost.`,
    }[reason],
  }),
  linkExpires: (when) => `This link expires ${when}.`,

  desktop: (platform) =>
    platform === 'ios'
      ? {
          title: 'Open this page on your iPhone or iPad',
          text: 'Point its camera at the code and tap the link that appears.',
        }
      : {
          title: 'Open this page on your Android phone',
          text: 'Point its camera at the code and tap the link that appears.',
        },
  qrCode: 'QR code with the address of this page',
  linkToPage: 'Link to this page',
  sendLink: 'Or send yourself this link',

  inApp: (app, browser) => ({
    title: `Open this page in ${browser}`,
    text:
      app === null
        ? 'You are looking at it inside another app, and apps cannot be installed from there.'
        : `You are looking at it inside ${app}, and apps cannot be installed from there.`,
  }),
  openIn: (browser) => `Open in ${browser}`,
  inAppSteps: {
    ios: [
      'Tap the ••• , share or compass button at the edge of the screen.',
      'Choose Open in Safari or Open in browser.',
      'Or copy the link below and paste it into the address bar of Safari.',
    ],
    android: [
      'Tap the ⋮ or ••• button at the edge of the screen.',
      'Choose Open in Chrome or Open in browser.',
      'Or copy the link below and paste it into the address bar of your browser.',
    ],
  },
  ifThatFails: 'If that does not work',
  tryHere: 'Try it here anyway',

  registered: (device) => `This ${device} is registered for this build.`,
  registeredOnly: (device) =>
    `This build runs on registered devices only. Is this ${device} a new one? Ask your team for a registration link and open it here first.`,
  notRegistered: (device) => ({
    title: `This ${device} is not registered`,
    text: `The build runs on registered devices only, and this ${device} is not one of them, so iOS would refuse it.`,
  }),
  notRegisteredSteps: (device) => [
    'Ask the person who sent you this link for a registration link.',
    `Open that link in Safari on this ${device}, and follow it to the end.`,
    `Your team then makes a build that includes this ${device}. It appears on this page.`,
  ],
  awaitingBuild: (device) => ({
    title: `This ${device} waits for a new build`,
    text: `It is registered, but this build was made without it, so iOS would refuse it.`,
  }),
  awaitingBuildSteps: (device) => [
    `Tell your team that this ${device} waits: they add it to their provisioning profile and build again.`,
    'Keep this link. The new build appears on this page.',
  ],
  otherDevice: (device) =>
    `Have you just changed to this ${device}? Then this page may still take it for the old one, and you can try.`,

  osTooOld: (needed, actual, device) => ({
    title: `Needs ${needed} or later`,
    text: `This ${device} runs ${actual}, which is too old for the app.`,
  }),
  osTooOldSteps: {
    iphone: [
      'Open Settings › General › Software Update.',
      'Install the update, then open this page again.',
      'If there is no update for this iPhone, ask your team for a build that runs on it.',
    ],
    ipad: [
      'Open Settings › General › Software Update.',
      'Install the update, then open this page again.',
      'If there is no update for this iPad, ask your team for a build that runs on it.',
    ],
    android: [
      'Open Settings › System › Software update.',
      'Install the update, then open this page again.',
      'If there is no update for this phone, ask your team for a build that runs on it.',
    ],
  },
  wrongPlatform: (platform, device) =>
    platform === 'ios'
      ? {
          title: 'This app is for iPhone and iPad',
          text: `It cannot be installed on an Android ${device}. Scan the code with an iPhone or iPad, or send the link there.`,
        }
      : {
          title: 'This app is for Android',
          text: `It cannot be installed on an ${device}. Scan the code with an Android phone, or send the link there.`,
        },
  wrongFamily: (device) => ({
    title: device === 'iPhone' ? 'This app is for iPad' : `This app is not made for ${device}`,
    text:
      device === 'iPhone'
        ? 'It cannot be installed on an iPhone. Scan the code with an iPad, or send the link there.'
        : `It cannot be installed on an ${device}. Ask your team which devices it is for.`,
  }),
  profileExpired: (day) => ({
    title: 'This build has expired',
    text: `Its provisioning profile ended on ${day}, so iOS does not install it any more. Ask your team for a new build.`,
  }),
  notInstallable: {
    app_store_profile: {
      title: 'This build is meant for the App Store',
      text: 'It is signed for the App Store, and iOS installs such builds from there alone. Ask your team for a build with an ad hoc, development or enterprise profile.',
    },
    simulator: {
      title: 'This build is for the simulator',
      text: 'It runs on a Mac, not on a device. Ask your team for a build made for devices.',
    },
    unsigned: {
      title: 'This build is not signed',
      text: 'Phones install signed apps only. Ask your team for a signed build.',
    },
    partial: {
      title: 'This is only a part of an app',
      text: 'The package is one split of several. Ask your team for a complete APK.',
    },
    test_only: {
      title: 'This build is for a developer’s own phone',
      text: 'It is marked “test only”, and Android installs such packages from a computer alone. Ask your team for a build made for testers.',
    },
    abi_missing: {
      title: 'This build is for other processors',
      text: 'It has no code for the processor of this phone. Ask your team for a build that has.',
    },
    unreadable: {
      title: 'This package could not be read',
      text: 'It is damaged or made in an unusual way, so it cannot be offered to iOS. Ask your team to upload the build again.',
    },
  },
  httpsNeeded: {
    title: 'This server is not ready for iOS',
    text: 'iOS installs apps over https only, and this server gives out http links. Whoever runs it has to set a base_url that starts with https://.',
  },
  locked: {
    title: 'Downloads are paused',
    text: 'The organization behind this app cannot hand it out at the moment. Keep the link, and ask the person who sent it: once that is settled, the app can be installed here again.',
  },
  nothingReleased: {
    title: 'Nothing to install yet',
    text: 'The team has not released a build here, or has withdrawn it. Keep the link: the next release appears on this page.',
  },
  superseded: {
    title: 'This build is not offered any more',
    text: 'It was replaced by another one, or withdrawn.',
  },
  showCurrent: 'Show the current build',
  linkExpired: {
    title: 'This link no longer works',
    text: 'Install links last for a short time. Go back to where you got it and open a fresh one, or ask the person who sent it.',
  },
  notFound: {
    title: 'There is nothing here',
    text: 'The address may be incomplete, or what was here is gone or not public. Check the link, or ask the person who sent it for a new one.',
  },
};
