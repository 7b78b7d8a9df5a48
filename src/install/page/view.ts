// What an install page shows, before any word of any language.

import type { ProfileKind } from '../../inspection/facts.ts';
import type { Html } from '../../lib/html.ts';
import type { Platform } from '../../platforms.ts';
import type { ReinstallReason } from '../updates.ts';

export type DeviceKind = 'iphone' | 'ipad' | 'android';

export interface ReleaseView {
  versionName: string;
  /** As people see it. */
  buildNumber: string;
  sizeBytes: number;
  /** As the build carries it: an iOS version, or an Android API level. */
  minimumOsVersion: string | null;
  releaseNotes: string | null;
  releasedAt: Date;
  /** How an iOS package is signed; decides what its user has to do before the first start. */
  profileKind: ProfileKind | null;
  /** Made for developers: slower, and open to their tools. */
  isDebuggable: boolean;
}

export interface AppView {
  name: string;
  organizationName: string;
  projectName: string;
  /** Null on a page behind an install capability. */
  channelName: string | null;
  platform: Platform;
  /** On this server; null shows the first letter of the name. */
  iconUrl: string | null;
  /** Null while nothing is released. */
  release: ReleaseView | null;
}

/** What starts the installation: the manifest's address for iOS, the package's for Android. Absolute, with their own proof. */
export type InstallTarget = { platform: 'ios'; manifestUrl: string } | { platform: 'android'; downloadUrl: string };

export type InstallNotice =
  | { kind: 'profile_expires'; expiresAt: Date }
  | { kind: 'unreadable' }
  /** A copy of `versionName`, which was offered here before, has to go first. */
  | { kind: 'reinstall'; reason: ReinstallReason; versionName: string }
  | { kind: 'link_expires'; expiresAt: Date };

export type NotInstallableReason =
  | 'app_store_profile'
  | 'simulator'
  | 'unsigned'
  | 'partial'
  | 'test_only'
  | 'unreadable'
  | 'abi_missing';

/** Whether the build runs on this device by its profile: it names it, it may or may not, or it names nobody. */
export type Provisioning = 'named' | 'unknown' | 'anybody';

export type InstallState =
  | {
      kind: 'ready';
      target: InstallTarget;
      device: DeviceKind;
      provisioning: Provisioning;
      /** Android before 8 asks otherwise for apps from elsewhere. */
      hasOldSettings: boolean;
      notices: readonly InstallNotice[];
    }
  /** `couldBeIpad`: the browser says Mac, which an iPad does too. */
  | {
      kind: 'desktop';
      target: InstallTarget;
      couldBeIpad: boolean;
      provisioning: Provisioning;
      notices: readonly InstallNotice[];
    }
  | { kind: 'in_app_browser'; target: InstallTarget; app: string; notices: readonly InstallNotice[] }
  /** The profile does not name this device; `isRegistered`: the organization knows it, and the next build may. */
  | { kind: 'not_provisioned'; target: InstallTarget; device: DeviceKind; isRegistered: boolean }
  | { kind: 'os_too_old'; needed: string; actual: string; device: DeviceKind }
  | { kind: 'wrong_platform'; device: DeviceKind }
  | { kind: 'wrong_family'; device: DeviceKind }
  | { kind: 'profile_expired'; expiredAt: Date }
  | { kind: 'not_installable'; reason: NotInstallableReason }
  | { kind: 'https_needed' }
  /** The organization may hand out nothing for now. */
  | { kind: 'locked' }
  | { kind: 'nothing_released' }
  /** The page of one release that the channel does not serve, or not any more; `currentUrl` shows what it serves. */
  | { kind: 'superseded'; currentUrl: string }
  | { kind: 'link_expired' }
  | { kind: 'not_found' };

export interface InstallView {
  now: Date;
  /** Absolute address of this page, for the QR code and for copying. */
  pageUrl: string;
  /** Made by `drawQrCode`; needed where `showsQrCode(state)`. */
  qrCode: Html | null;
  /** Never shown for `link_expired` and `not_found`, which tell nothing of what is behind the link. */
  app: AppView | null;
  state: InstallState;
}

/** Whether the page for this state wants a QR code of its own address, to carry it to another device. */
export function showsQrCode(state: InstallState): boolean {
  return state.kind === 'desktop' || state.kind === 'wrong_platform' || state.kind === 'wrong_family';
}
