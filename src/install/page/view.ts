// The data shown by an install page, independent of the language.

import type { ProfileKind } from '../../inspection/facts.ts';
import type { Html } from '../../lib/html.ts';
import type { DeviceKind, NotInstallableReason, ReinstallReason } from '../../page-texts/install-texts.ts';
import type { Platform } from '../../platforms.ts';

export interface ReleaseView {
  versionName: string;
  /** As shown to people. */
  buildNumber: string;
  sizeBytes: number;
  /** As in the package: an iOS version or an Android API level. */
  minimumOsVersion: string | null;
  releaseNotes: string | null;
  /** False for a single build: `releasedAt` is when it was uploaded. */
  isReleased: boolean;
  releasedAt: Date;
  /** How an iOS package is signed. It determines the steps before the app can be opened for the first time. */
  profileKind: ProfileKind | null;
  /** Built for debugging: slower, and accessible to development tools. */
  isDebuggable: boolean;
  /** Set on the page of a preview, whose visitors come from the pull request. */
  preview?: { pullRequest: number; commit: string | null };
}

export interface AppView {
  name: string;
  organizationName: string;
  /** Path on this server; if null, the first letter of the name is shown. */
  organizationIconUrl: string | null;
  /** `#rrggbb`, from the icon of the app or the organization; null for the color of the service. */
  color: string | null;
  projectName: string;
  /** Null on pages that don't show it. */
  channelName: string | null;
  platform: Platform;
  /** Path on this server; if null, the first letter of the name is shown. */
  iconUrl: string | null;
  /** Null if nothing is released. */
  release: ReleaseView | null;
  screenshots?: readonly ScreenshotView[];
  /** Where the visitor can send feedback about the channel; missing on pages that hide it. */
  feedbackUrl?: string;
}

interface ScreenshotView {
  /** Path on this server. */
  url: string;
  width: number;
  height: number;
}

/**
 * The URL that starts the installation: the manifest on iOS, the package on Android. It is absolute and includes its
 * proof.
 */
export type InstallTarget =
  | { platform: 'ios'; manifestUrl: string }
  | { platform: Exclude<Platform, 'ios'>; downloadUrl: string };

export type InstallNotice =
  | { kind: 'profile_expires'; expiresAt: Date }
  | { kind: 'unreadable' }
  /** The user must first uninstall `versionName`, which was offered here previously. */
  | { kind: 'reinstall'; reason: ReinstallReason; versionName: string }
  | { kind: 'link_expires'; expiresAt: Date };

/** Whether the profile of the build contains this device: it does, it may, or it isn't limited to devices. */
export type Provisioning = 'named' | 'unknown' | 'anybody';

/** What registers this device: a form, the page of the channel, or the sign-in that leads back to this page. */
export interface Registration {
  kind: 'form' | 'link' | 'sign_in';
  /** The path of the form; otherwise a complete URL. */
  url: string;
}

export type InstallState =
  | {
      kind: 'ready';
      target: InstallTarget;
      device: DeviceKind;
      provisioning: Provisioning;
      /** Android before 8 has another setting for unknown sources. */
      hasOldSettings: boolean;
      /** Set if only registered devices can install the build; null if the visitor can't register one. */
      register?: Registration | null;
      notices: readonly InstallNotice[];
    }
  /** `couldBeIpad`: the browser identifies itself as a Mac, which iPads do too. */
  | {
      kind: 'desktop';
      target: InstallTarget;
      couldBeIpad: boolean;
      provisioning: Provisioning;
      register?: Registration | null;
      notices: readonly InstallNotice[];
    }
  | { kind: 'in_app_browser'; target: InstallTarget; app: string; notices: readonly InstallNotice[] }
  /**
   * The profile doesn't contain this device. `isRegistered`: the organization knows it, so the next build may contain
   * it. `waits`: the team sees that the device waits for a build of the channel, and whether its owner gets an email then.
   * `isAtApple`: Apple has the device, so a new profile can include it.
   */
  | {
      kind: 'not_provisioned';
      target: InstallTarget;
      device: DeviceKind;
      isRegistered: boolean;
      register?: Registration | null;
      waits?: 'emailed' | 'unmailed';
      isAtApple?: boolean;
    }
  | { kind: 'os_too_old'; needed: string; actual: string; device: DeviceKind }
  | { kind: 'wrong_platform'; device: DeviceKind }
  | { kind: 'wrong_family'; device: DeviceKind }
  | { kind: 'profile_expired'; expiredAt: Date }
  | { kind: 'not_installable'; reason: NotInstallableReason }
  | { kind: 'https_needed' }
  /** Downloads of the organization are locked. */
  | { kind: 'locked' }
  /** `device`: an iPhone or iPad, which can be registered before the first build. */
  | {
      kind: 'nothing_released';
      device?: DeviceKind;
      isRegistered?: boolean;
      register?: Registration | null;
      waits?: 'emailed' | 'unmailed';
      isAtApple?: boolean;
    }
  /** The page of a release that isn't live on the channel. `currentUrl` shows the one that is. */
  | { kind: 'superseded'; currentUrl: string }
  /** The page of a build that was revoked, for people who could install it. */
  | { kind: 'build_revoked' }
  | { kind: 'link_expired' };

/**
 * The pages of channels that aren't public, for people without access. They show nothing about the app, and are the same for
 * channels that don't exist.
 */
export type AccessState =
  | { kind: 'sign_in'; signInUrl: string }
  /** `requestUrl`: asks the team for access; null if it can't be asked here. */
  | { kind: 'no_access'; email: string; signInUrl: string; requestUrl: string | null }
  | { kind: 'access_asked'; sendsMail: boolean }
  /** `most`: the number of channels that an account can ask for at a time. */
  | { kind: 'asked_too_often'; most: number }
  | { kind: 'verify_email'; email: string; accountUrl: string; sendsMail: boolean }
  /** Only for testers who are members of the organization and don't meet its policy. */
  | { kind: 'two_factor_needed'; accountUrl: string }
  | { kind: 'sign_in_otherwise'; signInUrl: string; accountUrl: string };

export interface InstallView {
  now: Date;
  /** Absolute URL of this page, for the QR code and for copying. */
  pageUrl: string;
  /** Created by `drawQrCode`; required if `showsQrCode(state)`. */
  qrCode: Html | null;
  /** Null for `link_expired`, so that the page reveals nothing about the link, and for `build_revoked`. */
  app: AppView | null;
  state: InstallState;
  /** Where the visitor can add a passkey; null if it isn't offered. */
  passkeyUrl?: string | null;
  /** On computers, if the link serves several platforms: all of them, and the app that `state` is about. */
  platforms?: { all: readonly PlatformView[]; stateApp: AppView };
  /** For visitors who aren't signed in, on the page for a phone of another platform. */
  signInUrl?: string;
}

/** Returns whether the page of this state has a form. */
export function hasForm(state: InstallState): boolean {
  return 'register' in state && state.register?.kind === 'form';
}

/** What a link serves for one platform. */
export interface PlatformView {
  app: AppView;
  state: InstallState;
}

/** Returns whether the page of this state shows a QR code of its own address, for opening it on another device. */
export function showsQrCode(state: InstallState): boolean {
  return state.kind === 'desktop' || state.kind === 'wrong_platform' || state.kind === 'wrong_family';
}
