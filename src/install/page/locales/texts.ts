// Every text of the phone pages. A language is one value of this type, so a missing text fails the type check.
import type { NotInstallableReason } from '../view.ts';

export type Device = 'iphone' | 'ipad' | 'android';

export interface Heading {
  title: string;
  /** Why, and what to do next. */
  text: string;
}

/** Parameters called `name` and `app` are untrusted text that is already bounded; they are escaped when rendered. */
export interface Texts {
  language: string;
  direction: 'ltr' | 'rtl';
  device: Record<Device, string>;
  pageTitle: (name: string) => string;

  version: (version: string, build: string) => string;
  size: string;
  needs: string;
  orLater: (system: string) => string;
  released: string;
  justNow: string;
  changes: string;
  noChanges: string;
  details: string;
  channel: string;
  project: string;

  install: string;
  downloadAndInstall: string;
  downloadPackage: string;
  installOnIpad: string;
  installOnIpadHint: string;

  nextSteps: string;
  nextStepsOnIpad: string;
  iosSteps: (name: string, device: string) => readonly string[];
  iosTrustStep: string;
  iosDeveloperModeStep: string;
  androidSteps: readonly string[];
  trouble: string;
  iosTrouble: (device: string) => readonly Heading[];
  iosNotRegistered: (device: string) => Heading;
  androidTrouble: readonly Heading[];

  /** `when` as in "in 5 days". */
  profileExpires: (when: string, day: string) => Heading;
  unreadable: Heading;
  linkExpires: (when: string) => string;

  desktop: (platform: 'ios' | 'android') => Heading;
  qrCode: string;
  linkToPage: string;
  sendLink: string;

  inApp: (app: string | null, browser: string) => Heading;
  openIn: (browser: string) => string;
  inAppSteps: { ios: readonly string[]; android: readonly string[] };
  ifThatFails: string;
  tryHere: string;

  osTooOld: (needed: string, actual: string, device: string) => Heading;
  osTooOldSteps: Record<Device, readonly string[]>;
  wrongPlatform: (platform: 'ios' | 'android', device: string) => Heading;
  profileExpired: (day: string) => Heading;
  notInstallable: Record<NotInstallableReason, Heading>;
  httpsNeeded: Heading;
  nothingReleased: Heading;
  linkExpired: Heading;
  notFound: Heading;
}
