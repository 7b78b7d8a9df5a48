// The texts of install pages.
import type { Platform } from '../platforms.ts';

export type DeviceKind = 'iphone' | 'ipad' | 'android';

export type NotInstallableReason =
  | 'app_store_profile'
  | 'simulator'
  | 'unsigned'
  | 'partial'
  | 'test_only'
  | 'unreadable'
  | 'signature_too_old'
  | 'abi_missing';

/** Why the installed version must be uninstalled first, which deletes its data. */
export type ReinstallReason = 'certificate' | 'downgrade' | 'team';

export interface Heading {
  title: string;
  /** The reason, and what to do next. */
  text: string;
}

export interface PlatformInstallTexts {
  /** On computers: open the page on a device of the platform. */
  desktop: Heading;
  inAppSteps: readonly string[];
  /** On a device of another platform. */
  wrongPlatform: (device: string) => Heading;
}

/** What phones show, word for word, and descriptions of the drawings for people who can't see them. */
interface PictureTexts {
  cancel: string;
  loading: string;
  /** The question of iOS before it installs an app. */
  iosQuestion: (host: string, name: string) => string;
  iosAsks: (question: string) => string;
  iosLoads: (device: string) => string;
  iosIsReady: (device: string) => string;
  /** Settings › General › VPN & Device Management › name of the company. */
  trust: { label: string; title: string; row: string; hint: (device: string) => string };
  developerMode: { label: string; title: string; row: string; hint: string };
  /** The warning of Chrome before it downloads a package. */
  warning: { label: string; title: string; question: (file: string) => string; go: string };
  downloaded: { label: string; title: string };
  /** The permission of the browser to install apps. */
  unknownApps: { label: string; title: string; app: string; row: string };
  confirm: { label: string; question: string };
}

/** The parameters `name`, `version` and `app` are untrusted text of limited length. They are escaped when rendered. */
export interface InstallTexts {
  language: string;
  direction: 'ltr' | 'rtl';
  device: Record<DeviceKind, string>;
  platforms: Record<Platform, PlatformInstallTexts>;
  /** On computers, for an app with several platforms. */
  allPlatforms: Heading;
  pageTitle: (name: string) => string;

  version: (version: string, build: string) => string;
  size: string;
  needs: string;
  orLater: (system: string) => string;
  released: string;
  /** Instead of `released` for a build that isn't on a channel. */
  uploaded: string;
  justNow: string;
  changes: string;
  screenshots: string;
  screenshot(number: number, total: number): string;
  noChanges: string;
  details: string;
  /** The same for a build that isn't on a channel. */
  noBuildNotes: string;
  buildDetails: string;
  channel: string;
  project: string;
  kind: string;
  debugBuild: string;
  pullRequest: string;
  commit: string;

  install: string;
  downloadAndInstall: string;
  downloadPackage: string;
  installOnIpad: string;
  installOnIpadHint: string;

  nextSteps: string;

  iosSteps: (name: string, device: string) => readonly string[];
  iosTrustStep: string;
  iosDeveloperModeStep: string;
  androidSteps: readonly string[];
  /** Before Android 8. */
  oldAndroidSteps: readonly string[];
  /** Below the button on Android, before and after the tap. */
  beforeDownload: string;
  afterDownload: string;
  pictures: PictureTexts;
  trouble: string;
  iosTrouble: (device: string) => readonly Heading[];
  /** `canRegister`: a button on the page registers the device. */
  iosNotRegistered: (device: string, canRegister: boolean) => Heading;
  androidTrouble: readonly Heading[];

  /** `when` as in "in 5 days". */
  profileExpires: (when: string, day: string) => Heading;
  unreadable: Heading;
  /** `version` was offered here previously. */
  reinstall: (reason: ReinstallReason, version: string) => Heading;
  linkExpires: (when: string) => string;

  qrCode: string;
  /** Shown below the code of an address that only this computer can open. */
  localAddress: string;
  linkToPage: string;
  sendLink: string;

  inApp: (app: string | null, browser: string) => Heading;
  openIn: (browser: string) => string;
  ifThatFails: string;
  tryHere: string;

  registered: (device: string) => string;
  registeredOnly: (device: string) => string;
  notRegistered: (device: string) => Heading;
  notRegisteredSteps: (device: string) => readonly string[];
  /** If the visitor can register the device on this page. */
  registerSteps: (device: string) => readonly string[];
  registerFirst: (device: string) => string;
  signInFirst: (device: string) => string;
  register: (device: string) => string;
  /** If only testers can register, who must sign in first. */
  testersSignIn: string;
  /** Before the first build. */
  registerEarly: (device: string) => string;
  registeredEarly: (device: string) => string;
  awaitingBuild: (device: string) => Heading;
  /** `canAsk`: the page has a button that informs the team. */
  awaitingBuildSteps: (device: string, canAsk: boolean) => readonly string[];
  askForBuild: string;
  /** The team knows that the device waits. `isAtApple`: a new provisioning profile can include it. */
  waiting: (device: string, isAtApple: boolean) => Heading;
  waitingSteps: (device: string, isEmailed: boolean) => readonly string[];
  isOtherDevice: (device: string) => string;
  otherDevice: (device: string) => string;

  osTooOld: (needed: string, actual: string, device: string) => Heading;
  osTooOldSteps: Record<DeviceKind, readonly string[]>;
  wrongFamily: (device: string) => Heading;
  profileExpired: (day: string) => Heading;
  notInstallable: Record<NotInstallableReason, Heading>;
  httpsNeeded: Heading;
  locked: Heading;
  nothingReleased: Heading;
  superseded: Heading;
  showCurrent: string;
  buildRevoked: Heading;
  linkExpired: Heading;

  /** For channels that aren't public. Before the sign-in, private and missing ones get the same page. */
  signIn: Heading;
  signInButton: string;
  /** On a phone of another platform, whether the app is available for it or not. */
  signInForPlatform: (device: string) => string;
  noAccess: (email: string) => Heading;
  askForAccess: string;
  otherAccount: string;
  accessAsked: Heading;
  /** On a server that sends no email. */
  accessAskedUnmailed: Heading;
  /** `most`: the number of apps that a person can ask for at a time. */
  askedTooOften: (most: number) => Heading;
  verifyEmail: (email: string) => Heading;
  /** On a server that sends no email. */
  askOperatorToVerify: (email: string) => Heading;
  openAccount: string;
  twoFactorNeeded: Heading;
  signInOtherwise: Heading;
  passkeyOffer: string;
  addPasskey: string;
  sendFeedback: string;
}
