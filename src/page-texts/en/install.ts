// English texts of the phone pages.

import { CAPABILITY_LIFETIME_MS, englishLifetime } from '../../lib/lifetimes.ts';
import type { InstallTexts } from '../install-texts.ts';
import { platforms } from './platforms.ts';

export const install: InstallTexts = {
  language: 'en',
  direction: 'ltr',
  device: { iphone: 'iPhone', ipad: 'iPad', android: 'phone' },
  platforms,
  allPlatforms: {
    title: 'Open this page on your phone',
    text: 'Point the camera at the code and tap the link. iPhones, iPads and Android phones each get their own version.',
  },
  pageTitle: (name) => `Install ${name}`,

  version: (version, build) => `Version ${version} (${build})`,
  size: 'Size',
  needs: 'Requires',
  orLater: (system) => `${system} or later`,
  released: 'Released',
  uploaded: 'Uploaded',
  justNow: 'just now',
  changes: 'What’s new',
  screenshots: 'Screenshots',
  screenshot: (number, total) => `Screenshot ${number} of ${total}`,
  noChanges: 'This release has no notes.',
  details: 'About this release',
  noBuildNotes: 'This build has no notes.',
  buildDetails: 'About this build',
  channel: 'Channel',
  project: 'Project',
  kind: 'Kind',
  debugBuild: 'Debug build',
  pullRequest: 'Pull request',
  commit: 'Commit',

  install: 'Install',
  downloadAndInstall: 'Download and install',
  downloadPackage: 'Download package (APK)',
  installOnIpad: 'On an iPad? Install here',
  installOnIpadHint: 'An iPad identifies itself to websites as a Mac, so this page can’t tell them apart.',

  nextSteps: 'Next steps',

  iosSteps: (name, device) => [
    `Your ${device} asks whether to install “${name}”. Tap Install.`,
    'This page doesn’t change. Go to the Home Screen. The app icon there shows the progress.',
    'When the icon is no longer gray, tap it to open the app.',
  ],
  iosTrustStep:
    'Before you open the app for the first time, go to Settings › General › VPN & Device Management › name of the company, and tap Trust. iOS 18 and later then restart.',
  iosDeveloperModeStep:
    'If iOS requires Developer Mode, turn it on in Settings › Privacy & Security › Developer Mode and restart.',
  androidSteps: [
    'The browser downloads the app. If it warns about this type of file, download it anyway.',
    'Open the file from the notification or from Downloads.',
    'The first time, Android warns that your browser isn’t allowed to install unknown apps. Tap Settings, allow this source, and go back.',
    'Tap Install. If Play Protect doesn’t recognize the app, choose More details › Install anyway.',
  ],
  oldAndroidSteps: [
    'Open Settings › Security and turn on Unknown sources. You can turn it off again after installing.',
    'Tap the button above. If the browser warns about this type of file, download it anyway.',
    'Open the file from the notification or from Downloads, and tap Install.',
  ],
  beforeDownload: 'Your browser downloads the app. Android then asks before it installs it.',
  afterDownload: 'Your notifications show the progress. When the download is complete, tap it there.',
  pictures: {
    cancel: 'Cancel',
    loading: 'Loading…',
    iosQuestion: (host, name) => `“${host}” would like to install “${name}”`,
    iosAsks: (question) => `iOS asks: ${question}. The button Install is marked.`,
    iosLoads: (device) => `The Home Screen of the ${device}. The icon of the app shows the progress.`,
    iosIsReady: (device) => `The Home Screen of the ${device}. The icon of the app is marked.`,
    trust: {
      label: 'The page VPN & Device Management in Settings. The row that trusts the company is marked.',
      title: 'Device Management',
      row: 'Trust “Company”',
      hint: (device) => `Apps from this developer are not trusted on this ${device}.`,
    },
    developerMode: {
      label: 'The page Developer Mode in Settings. Its switch is marked.',
      title: 'Developer Mode',
      row: 'Developer Mode',
      hint: 'Restart required.',
    },
    warning: {
      label: 'Chrome warns of the file. The button Download anyway is marked.',
      title: 'File might be harmful',
      question: (file) => `Do you want to download ${file} anyway?`,
      go: 'Download anyway',
    },
    downloaded: { label: 'The notification of the complete download is marked.', title: 'Download complete' },
    unknownApps: {
      label: 'The page Install unknown apps in Settings. The switch Allow from this source is marked.',
      title: 'Install unknown apps',
      app: 'Your browser',
      row: 'Allow from this source',
    },
    confirm: {
      label: 'Android asks whether to install the app. The button Install is marked.',
      question: 'Do you want to install this app?',
    },
  },
  trouble: 'Problems installing?',
  iosTrouble: (device) => [
    {
      title: 'Nothing happens after tapping Install',
      text: 'Wait a minute and check the Home Screen. If the icon isn’t there, open this page in Safari and try again.',
    },
    {
      title: '“Cannot connect”',
      text: `This ${device} can’t reach the server or doesn’t trust its certificate. Check Wi-Fi and VPN. If this page has been open for a while, reload it. The button works for ${englishLifetime(CAPABILITY_LIFETIME_MS)}.`,
    },
    {
      title: 'The icon stays gray',
      text: `Tap it to continue. The ${device} needs free storage of at least twice the size of the app.`,
    },
  ],
  iosNotRegistered: (device, canRegister) => ({
    title: '“Unable to install” or “integrity could not be verified”',
    text: canRegister
      ? `This ${device} is probably not registered. Register it on this page. Your team must then create a new build.`
      : `This ${device} is probably not registered. Ask your team for a registration link and open it here. Your team must then create a new build.`,
  }),
  androidTrouble: [
    {
      title: '“App not installed”',
      text: 'Either this build is older than the installed one (for example, because your team rolled back a release), or the installed app is signed with a different key. In both cases, uninstall the app first. This deletes its data on the phone.',
    },
    {
      title: '“There was a problem parsing the package”',
      text: 'The download is incomplete, or this phone is too old for the app. Download it again.',
    },
    {
      title: 'A Samsung phone blocks the installation',
      text: 'Open Settings › Security and privacy › Auto Blocker and turn it off. You can turn it on again after installing.',
    },
    { title: 'Not enough storage', text: 'Free up at least twice the size of the app.' },
  ],

  profileExpires: (when, day) => ({
    title: `This build expires ${when}`,
    text: `Its provisioning profile expires on ${day}. After that you can’t open the app and need a newer build.`,
  }),
  unreadable: {
    title: 'We couldn’t read this package',
    text: 'Its name, version and signature couldn’t be checked. You may still be able to install it. Continue only if you trust the people who sent you this link.',
  },
  reinstall: (reason, version) => ({
    title: 'Uninstall the installed version first',
    text: {
      certificate: `This build is signed with a different key than ${version}, which was previously available here. If ${version} is installed, uninstall the app first, or Android will reject the update. This deletes its data on the phone.`,
      downgrade: `This build is older than ${version}, which was previously available here. If ${version} is installed, uninstall the app first, or Android will reject this build. This deletes its data on the phone.`,
      team: `This build comes from a different developer team than ${version}, which was previously available here. If ${version} is installed, delete the app first, or iOS will reject the update. This deletes its data on the device.`,
    }[reason],
  }),
  linkExpires: (when) => `This link expires ${when}.`,

  qrCode: 'QR code with the address of this page',
  localAddress: 'Phones can’t open this address. In config.toml, set an address that they can reach: server.base_url',
  linkToPage: 'Link to this page',
  sendLink: 'Or send yourself this link',

  inApp: (app, browser) => ({
    title: `Open this page in ${browser}`,
    text:
      app === null
        ? 'This page is open inside another app. Apps can’t be installed from there.'
        : `This page is open inside ${app}. Apps can’t be installed from there.`,
  }),
  openIn: (browser) => `Open in ${browser}`,
  ifThatFails: 'If that doesn’t work',
  tryHere: 'Try here anyway',

  registered: (device) => `This ${device} is registered for this build.`,
  registeredOnly: (device) =>
    `This build runs only on registered devices. If this ${device} isn’t registered yet, ask your team for a registration link and open it here first.`,
  notRegistered: (device) => ({
    title: `This ${device} isn’t registered`,
    text: `The build runs only on registered devices. This ${device} isn’t one of them, so iOS would reject it.`,
  }),
  notRegisteredSteps: (device) => [
    'Ask the person who sent you this link for a registration link.',
    `Open that link in Safari on this ${device} and follow the steps.`,
    `Your team then creates a build that includes this ${device}. The build appears on this page.`,
  ],
  registerSteps: (device) => [
    `Tap Register this ${device}. You download a profile and install it in Settings.`,
    'You return to this page.',
    `Your team creates a build that includes this ${device}. The build appears here.`,
  ],
  registerFirst: (device) =>
    `This build runs only on registered devices. If this ${device} isn’t registered yet, register it first.`,
  signInFirst: (device) =>
    `This build runs only on registered devices. If this ${device} isn’t registered yet, sign in as a tester to register it, or ask your team for a registration link.`,
  register: (device) => `Register this ${device}`,
  testersSignIn: 'Testers of this app can sign in, and then register a device or ask for a build on this page.',
  registerEarly: (device) =>
    `The app may run only on registered devices. Register this ${device} now, so that the first build includes it.`,
  registeredEarly: (device) => `This ${device} is registered. Tell your team that the first build should include it.`,
  awaitingBuild: (device) => ({
    title: `This build doesn’t include this ${device} yet`,
    text: 'It is registered, but iOS would reject this build.',
  }),
  awaitingBuildSteps: (device, canAsk) => [
    canAsk
      ? 'Tap Ask for a build. Your team sees your request.'
      : `Ask your team to add this ${device} to the provisioning profile and create a new build.`,
    'Keep this link. The new build appears on this page.',
  ],
  askForBuild: 'Ask for a build',
  waiting: (device, isAtApple) => ({
    title: `This ${device} is waiting for a new build`,
    text: isAtApple
      ? 'It is registered with Apple, so the next build can include it.'
      : 'It is registered, and your team sees that it is waiting.',
  }),
  waitingSteps: (device, isEmailed) => [
    `Your team adds this ${device} to the next build.`,
    isEmailed ? 'You get an email when that build is ready.' : 'Keep this link, and open it again later.',
    'This page then shows the button Install.',
  ],
  isOtherDevice: (device) => `Did you switch to another ${device}?`,
  otherDevice: (device) =>
    `Did you just switch to this ${device}? This page may still recognize your old device. You can try to install anyway.`,

  osTooOld: (needed, actual, device) => ({
    title: `Requires ${needed} or later`,
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
  wrongFamily: (device) => ({
    title: device === 'iPhone' ? 'This app is for iPad' : `This app doesn’t support ${device}`,
    text:
      device === 'iPhone'
        ? 'It can’t be installed on an iPhone. Scan the code with an iPad, or send the link to one.'
        : `It can’t be installed on an ${device}. Ask your team for the supported devices.`,
  }),
  profileExpired: (day) => ({
    title: 'This build has expired',
    text: `Its provisioning profile expired on ${day}, so iOS can no longer install it. Ask your team for a new build.`,
  }),
  notInstallable: {
    app_store_profile: {
      title: 'This build is for the App Store',
      text: 'iOS installs it only from the App Store. Ask your team for a build with an ad hoc, development or enterprise profile.',
    },
    simulator: {
      title: 'This build is for the simulator',
      text: 'It runs only on a Mac. Ask your team for a build for devices.',
    },
    unsigned: {
      title: 'This build isn’t signed',
      text: 'Phones install only signed apps. Ask your team for a signed build.',
    },
    partial: {
      title: 'This package is only part of an app',
      text: 'It is one of several split APKs. Ask your team for a complete APK.',
    },
    test_only: {
      title: 'This build is for development only',
      text: 'It is marked “test only”. Android installs such packages only from a computer. Ask your team for a build for testers.',
    },
    signature_too_old: {
      title: 'This build is signed for older phones',
      text: 'From Android 11 on, this app needs a newer kind of signature. Ask your team to sign the build with signature scheme v2 or newer.',
    },
    abi_missing: {
      title: 'This build is for other processors',
      text: 'It doesn’t contain code for this phone’s processor. Ask your team for a build that runs on this phone.',
    },
    unreadable: {
      title: 'We couldn’t read this package',
      text: 'It is damaged or has an unusual structure, so it can’t be installed. Ask your team to upload the build again.',
    },
  },
  httpsNeeded: {
    title: 'This server isn’t ready for iOS',
    text: 'iOS installs apps only over https, but this server uses http. Its operator must configure a base_url that starts with https://.',
  },
  locked: {
    title: 'Downloads are paused',
    text: 'The organization currently can’t distribute this app. Keep the link and contact the person who sent it. Once the organization has resolved the problem, you can install the app here again.',
  },
  nothingReleased: {
    title: 'Nothing to install yet',
    text: 'The team hasn’t released a build yet, or has withdrawn it. Keep the link. The next release will appear on this page.',
  },
  superseded: {
    title: 'This build is no longer available',
    text: 'It was replaced or withdrawn.',
  },
  showCurrent: 'Show current build',
  buildRevoked: {
    title: 'This build is no longer available',
    text: 'It was revoked. Ask your team for a newer build.',
  },
  linkExpired: {
    title: 'This link has expired',
    text: 'Install links work only for a short time. Open a new link from the same place, or ask the person who sent it for a new one.',
  },

  signIn: {
    title: 'Sign in to install',
    text: 'Only testers can install this app. Sign in with the email address that was invited.',
  },
  signInButton: 'Sign in',
  signInForPlatform: (device) => `If the team gave you access to the app for your ${device}, sign in to install it.`,
  noAccess: (email) => ({
    title: 'You don’t have access to this app',
    text: `You’re signed in as ${email}. Ask the team for access, or sign in with the address that was invited. The link may also be wrong, or the app was removed.`,
  }),
  askForAccess: 'Ask for access',
  otherAccount: 'Use another account',
  accessAsked: {
    title: 'Request sent',
    text: 'If this app exists, its team can now give you access. You’ll get an email, and then this link installs the app.',
  },
  accessAskedUnmailed: {
    title: 'Request sent',
    text: 'If this app exists, its team can now give you access. Open this page again later to install the app.',
  },
  askedTooOften: (most) => ({
    title: `You have asked for access to ${most} apps`,
    text: 'You can ask for more when a team has given you access, or when a request expires after 30 days.',
  }),
  verifyEmail: (email) => ({
    title: 'Verify your email address',
    text: `Open the link in the email that was sent to ${email}, then open this page again.`,
  }),
  askOperatorToVerify: (email) => ({
    title: 'Your email address isn’t verified',
    text: `This server doesn’t send email. Ask its operator to verify ${email}, then open this page again.`,
  }),
  openAccount: 'Open your account',
  twoFactorNeeded: {
    title: 'Set up two-factor authentication',
    text: 'The organization requires it. Set it up in your account, then open this page again.',
  },
  signInOtherwise: {
    title: 'Sign in another way',
    text: 'This organization doesn’t allow signing in by email. Use a password, a passkey or single sign-on. If you have no password yet, set one in your account.',
  },
  passkeyOffer: 'Sign in faster next time.',
  addPasskey: 'Add a passkey',
  sendFeedback: 'Send feedback',
};
