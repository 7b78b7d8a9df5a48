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
  releasedAt: Date;
  /** How an iOS package is signed. It determines the steps before the app can be opened for the first time. */
  profileKind: ProfileKind | null;
  /** Built for debugging: slower, and accessible to development tools. */
  isDebuggable: boolean;
}

export interface AppView {
  name: string;
  organizationName: string;
  /** Path on this server; if null, the first letter of the name is shown. */
  organizationIconUrl: string | null;
  /** `#rrggbb`, from the icon of the app or the organization; null for the color of the service. */
  color: string | null;
  projectName: string;
  /** Null on a page behind an install capability. */
  channelName: string | null;
  platform: Platform;
  /** Path on this server; if null, the first letter of the name is shown. */
  iconUrl: string | null;
  /** Null if nothing is released. */
  release: ReleaseView | null;
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

export type InstallState =
  | {
      kind: 'ready';
      target: InstallTarget;
      device: DeviceKind;
      provisioning: Provisioning;
      /** Android before 8 has another setting for unknown sources. */
      hasOldSettings: boolean;
      notices: readonly InstallNotice[];
    }
  /** `couldBeIpad`: the browser identifies itself as a Mac, which iPads do too. */
  | {
      kind: 'desktop';
      target: InstallTarget;
      couldBeIpad: boolean;
      provisioning: Provisioning;
      notices: readonly InstallNotice[];
    }
  | { kind: 'in_app_browser'; target: InstallTarget; app: string; notices: readonly InstallNotice[] }
  /**
   * The profile doesn't contain this device. `isRegistered`: the organization knows it, so the next build may contain
   * it.
   */
  | { kind: 'not_provisioned'; target: InstallTarget; device: DeviceKind; isRegistered: boolean }
  | { kind: 'os_too_old'; needed: string; actual: string; device: DeviceKind }
  | { kind: 'wrong_platform'; device: DeviceKind }
  | { kind: 'wrong_family'; device: DeviceKind }
  | { kind: 'profile_expired'; expiredAt: Date }
  | { kind: 'not_installable'; reason: NotInstallableReason }
  | { kind: 'https_needed' }
  /** Downloads of the organization are locked. */
  | { kind: 'locked' }
  | { kind: 'nothing_released' }
  /** The page of a release that isn't live on the channel. `currentUrl` shows the one that is. */
  | { kind: 'superseded'; currentUrl: string }
  | { kind: 'link_expired' };

/**
 * The pages of channels that aren't public, for people without access. They show nothing about the app, and are the same for
 * channels that don't exist.
 */
export type AccessState =
  | { kind: 'sign_in'; signInUrl: string }
  | { kind: 'no_access'; email: string; signInUrl: string; requestUrl: string }
  | { kind: 'access_asked' }
  | { kind: 'verify_email'; email: string; accountUrl: string }
  /** Only for testers who are members of the organization and don't meet its policy. */
  | { kind: 'two_factor_needed'; accountUrl: string };

export interface InstallView {
  now: Date;
  /** Absolute URL of this page, for the QR code and for copying. */
  pageUrl: string;
  /** Created by `drawQrCode`; required if `showsQrCode(state)`. */
  qrCode: Html | null;
  /** Null for `link_expired`, so that the page reveals nothing about the link. */
  app: AppView | null;
  state: InstallState;
  /** On computers, if the link serves several platforms: all of them, and the app that `state` is about. */
  platforms?: { all: readonly PlatformView[]; stateApp: AppView };
  /** For visitors who aren't signed in, on the page for a phone of another platform. */
  signInUrl?: string;
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
