// What an install page shows, before any word of any language.
import type { Html } from '../../platform/html.ts';

export type Platform = 'ios' | 'android';

export interface ReleaseView {
  versionName: string;
  buildNumber: number;
  sizeBytes: number;
  /** As the build carries it: an iOS version, or an Android API level. */
  minimumOsVersion: string | null;
  releaseNotes: string | null;
  releasedAt: Date;
  /** How an iOS package is signed; decides what its user has to do before the first start. */
  profileKind: 'development' | 'ad-hoc' | 'enterprise' | 'app-store' | null;
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
  | { kind: 'link_expires'; expiresAt: Date };

export type NotInstallableReason = 'app_store_profile' | 'simulator' | 'unsigned' | 'partial' | 'unreadable';

export type InstallState =
  | { kind: 'ready'; target: InstallTarget; device: 'iphone' | 'ipad' | 'android'; notices: readonly InstallNotice[] }
  /** `couldBeIpad`: the browser says Mac, which an iPad does too. */
  | { kind: 'desktop'; target: InstallTarget; couldBeIpad: boolean; notices: readonly InstallNotice[] }
  | { kind: 'in_app_browser'; target: InstallTarget; app: string; notices: readonly InstallNotice[] }
  | { kind: 'os_too_old'; needed: string; actual: string; device: 'iphone' | 'ipad' | 'android' }
  | { kind: 'wrong_platform'; device: 'iphone' | 'ipad' | 'android' }
  | { kind: 'profile_expired'; expiredAt: Date }
  | { kind: 'not_installable'; reason: NotInstallableReason }
  | { kind: 'https_needed' }
  | { kind: 'nothing_released' }
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
  return state.kind === 'desktop' || state.kind === 'wrong_platform';
}
