// The texts of enrollment pages.
import type { ProfileDialogs } from './dialog-texts.ts';
import type { Heading } from './install-texts.ts';

export type DeviceWord = 'iphone' | 'ipad' | 'device';

/**
 * The parameters `name`, `organization` and `app` are untrusted text of limited length. They are escaped when rendered.
 */
export interface EnrollmentTexts {
  language: string;
  direction: 'ltr' | 'rtl';
  device: Record<DeviceWord, string>;

  /** The texts of the profile, shown by the phone before and during the installation. */
  profileTitle: (organization: string) => string;
  profileDescription: (organization: string) => string;

  enrollTitle: (device: string) => string;
  enrollIntro: (organization: string) => string;
  download: string;
  /** `returnsToApp`: to the install page on which the link was created. */
  steps: (device: string, returnsToApp: boolean) => readonly string[];
  stepsTitle: string;
  /** What iOS shows, word for word, and descriptions of the drawings for people who can't see them. */
  pictures: ProfileDialogs & {
    install: { label: string; title: string; go: string };
  };
  trouble: string;
  troubles: (device: string) => readonly Heading[];
  collectedTitle: string;
  collected: readonly string[];
  notCollected: string;
  purpose: (organization: string) => string;
  nothingStays: string;
  linkExpires: (when: string) => string;
  alreadyRegistered: (device: string, name: string) => Heading;

  openInSafari: (app: string | null) => Heading;
  openInSafariButton: string;
  openInSafariSteps: readonly string[];
  tryHere: string;
  address: string;

  desktop: Heading;
  qrCode: string;
  /** Shown below the code of an address that only this computer can open. */
  localAddress: string;

  android: Heading;
  httpsNeeded: Heading;
  trustFirst: (device: string) => Heading;
  trustButton: string;
  cannotSign: Heading;
  deadLink: Heading;

  resultTitle: (device: string) => string;
  resultText: (name: string, ending: string) => string;
  resultAgain: string;
  ready: string;
  waiting: Heading;
  /** The same for a device that is registered with Apple. */
  waitingAtApple: Heading;
  unsuitable: string;
  install: string;
  askForLink: string;
  version: (version: string, build: string) => string;
  osTooOld: (needed: string) => string;
  profileExpired: string;
  wrongFamily: string;
  notInstallable: string;
  nothingYet: Heading;
}
