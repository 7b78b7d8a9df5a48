// Which of its states an install page is in, from what is known of the release and of the phone.

import { isOlderVersion, nameMinimumVersion, readMinimumVersion } from '../os-version.ts';
import type { Phone } from '../phone.ts';
import type {
  InstallNotice,
  InstallState,
  InstallTarget,
  NotInstallableReason,
  Platform,
  ReleaseView,
} from './view.ts';

export interface InstallFacts {
  now: Date;
  phone: Phone;
  platform: Platform;
  /** Null while nothing is released. */
  release: ReleaseView | null;
  target: InstallTarget;
  inspection: {
    isUnreadable: boolean;
    isSimulatorBuild: boolean;
    /** No signature that this platform would accept. Ignored while `isUnreadable`. */
    isUnsigned: boolean;
    /** One split of an Android app. */
    isPartial: boolean;
    profileExpiresAt: Date | null;
  };
  /** When the capability in the address ends; null for a public channel. */
  linkExpiresAt: Date | null;
}

const day = 24 * 60 * 60 * 1000;

/** From how many days before its end on a page tells that the provisioning profile expires. */
const profileWarningDays = 30;

/** Decides the state of the page for a link that leads somewhere. The first reason in the way of installing wins. */
export function decideInstallState(facts: InstallFacts): InstallState {
  const { phone, platform, release, target, inspection, now } = facts;
  if (release === null) return { kind: 'nothing_released' };
  const device = deviceOf(phone);
  if (device !== null && (device === 'android') !== (platform === 'android')) return { kind: 'wrong_platform', device };
  const reason = findObstacle(facts);
  if (reason !== null) return { kind: 'not_installable', reason };
  const expiresAt = platform === 'ios' ? inspection.profileExpiresAt : null;
  if (expiresAt !== null && expiresAt <= now) return { kind: 'profile_expired', expiredAt: expiresAt };
  if (target.platform === 'ios' && !target.manifestUrl.startsWith('https://')) return { kind: 'https_needed' };
  const notices = collectNotices(facts, expiresAt);
  if (device === null)
    return { kind: 'desktop', target, couldBeIpad: phone.couldBeIpad && platform === 'ios', notices };
  const needed = nameMinimumVersion(platform, release.minimumOsVersion);
  const isTooOld = isOlderVersion(phone.osVersion, readMinimumVersion(platform, release.minimumOsVersion));
  if (isTooOld && needed !== null && phone.osVersion !== null) {
    const system = { iphone: 'iOS', ipad: 'iPadOS', android: 'Android' }[device];
    return { kind: 'os_too_old', needed, actual: `${system} ${phone.osVersion}`, device };
  }
  if (phone.inAppBrowser !== null) return { kind: 'in_app_browser', target, app: phone.inAppBrowser, notices };
  return { kind: 'ready', target, device, notices };
}

function deviceOf(phone: Phone): 'iphone' | 'ipad' | 'android' | null {
  if (phone.system === 'desktop') return null;
  return phone.system === 'android' ? 'android' : phone.system === 'ipados' ? 'ipad' : 'iphone';
}

function findObstacle({ platform, release, inspection }: InstallFacts): NotInstallableReason | null {
  if (inspection.isUnreadable) return platform === 'ios' ? 'unreadable' : null;
  if (inspection.isSimulatorBuild) return 'simulator';
  if (inspection.isUnsigned) return 'unsigned';
  if (inspection.isPartial) return 'partial';
  return release?.profileKind === 'app-store' ? 'app_store_profile' : null;
}

function collectNotices(facts: InstallFacts, profileExpiresAt: Date | null): InstallNotice[] {
  const notices: InstallNotice[] = [];
  if (facts.inspection.isUnreadable) notices.push({ kind: 'unreadable' });
  if (profileExpiresAt !== null && profileExpiresAt.getTime() - facts.now.getTime() < profileWarningDays * day) {
    notices.push({ kind: 'profile_expires', expiresAt: profileExpiresAt });
  }
  if (facts.linkExpiresAt !== null) notices.push({ kind: 'link_expires', expiresAt: facts.linkExpiresAt });
  return notices;
}
