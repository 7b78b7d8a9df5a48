// Determines the state of an install page from the facts about the release and the phone.

import { isOlderVersion } from '../../compatibility/os-version.ts';
import type { Phone } from '../../compatibility/phone.ts';
import type { VerdictReason } from '../../compatibility/reasons.ts';
import { type BuildFacts, type Judgment, judgeInstall } from '../../compatibility/verdict.ts';
import { factsOfPhone } from '../../devices/compatibility-facts.ts';
import type { DeviceKind, NotInstallableReason, ReinstallReason } from '../../page-texts/install-texts.ts';
import type { InstallNotice, InstallState, InstallTarget, Provisioning } from './view.ts';

export interface InstallFacts {
  now: Date;
  phone: Phone;
  /** The device that this browser was registered as; null if it has no registration. */
  registration: { udid: string; isRegisteredHere: boolean } | null;
  build: BuildFacts;
  /** True for an iOS build without a known bundle identifier: it has no manifest. */
  lacksManifest: boolean;
  target: InstallTarget;
  /** A version that was offered here previously and that this build can't update. */
  reinstall: { reason: ReinstallReason; versionName: string } | null;
  isLocked: boolean;
  /** When the capability in the address expires; null for a public channel. */
  linkExpiresAt: Date | null;
}

/** Android 8 replaced the global switch for unknown sources by a permission for each app. */
const FIRST_WITH_PERMISSION_BY_APP = '8';

/** Returns the state of the page for a valid link. The first obstacle found decides. */
export function decideInstallState(facts: InstallFacts): InstallState {
  const { phone, build, target } = facts;
  const device = deviceOf(phone);
  const judgment = judgeInstall(build, factsOfPhone(phone, facts.registration?.udid ?? null), facts.now.getTime());
  if (judgment.reason === 'platform' && device !== null) return { kind: 'wrong_platform', device };
  if (facts.isLocked) return { kind: 'locked' };
  if (facts.lacksManifest) return { kind: 'not_installable', reason: 'unreadable' };
  const obstacle = findObstacle(facts, judgment, device);
  // The missing https comes before obstacles of the phone, because the operator must fix it in any case.
  const isPhonesMatter = obstacle?.kind === 'os_too_old' || obstacle?.kind === 'not_provisioned';
  const lacksHttps = target.platform === 'ios' && !target.manifestUrl.startsWith('https://');
  if (obstacle !== null && !(lacksHttps && isPhonesMatter)) return obstacle;
  if (lacksHttps) return { kind: 'https_needed' };
  const notices = collectNotices(facts, judgment);
  const provisioning = provisioningOf(judgment);
  if (device === null) {
    const couldBeIpad = phone.couldBeIpad && build.platform === 'ios';
    return { kind: 'desktop', target, couldBeIpad, provisioning, notices };
  }
  if (phone.inAppBrowser !== null) return { kind: 'in_app_browser', target, app: phone.inAppBrowser, notices };
  const hasOldSettings = device === 'android' && isOlderVersion(phone.osVersion, FIRST_WITH_PERMISSION_BY_APP);
  return { kind: 'ready', target, device, provisioning, hasOldSettings, notices };
}

function deviceOf(phone: Phone): DeviceKind | null {
  if (phone.system === 'desktop') return null;
  return phone.system === 'android' ? 'android' : phone.system === 'ipados' ? 'ipad' : 'iphone';
}

const notInstallable: ReadonlySet<VerdictReason> = new Set<NotInstallableReason>([
  'app_store_profile',
  'simulator',
  'unsigned',
  'partial',
  'test_only',
  'unreadable',
  'signature_too_old',
  'abi_missing',
]);

function isNotInstallable(reason: VerdictReason): reason is NotInstallableReason {
  return notInstallable.has(reason);
}

function findObstacle(facts: InstallFacts, judgment: Judgment, device: DeviceKind | null): InstallState | null {
  const { verdict, reason, profileExpiresAt, neededSystem } = judgment;
  if (verdict !== 'no') return null;
  if (isNotInstallable(reason)) return { kind: 'not_installable', reason };
  if (reason === 'profile_expired') return { kind: 'profile_expired', expiredAt: new Date(profileExpiresAt ?? 0) };
  if (device === null) return null;
  if (reason === 'device_family') return { kind: 'wrong_family', device };
  if (reason === 'os_too_old' && neededSystem !== null) {
    const system = { iphone: 'iOS', ipad: 'iPadOS', android: 'Android' }[device];
    return { kind: 'os_too_old', needed: neededSystem, actual: `${system} ${judgment.actualSystem}`, device };
  }
  if (reason === 'not_provisioned') {
    const isRegistered = facts.registration?.isRegisteredHere === true;
    return { kind: 'not_provisioned', target: facts.target, device, isRegistered };
  }
  return null;
}

function provisioningOf({ reason, profileKind }: Judgment): Provisioning {
  if (reason === 'provisioned') return 'named';
  return profileKind === 'ad-hoc' || profileKind === 'development' ? 'unknown' : 'anybody';
}

function collectNotices(facts: InstallFacts, { profileExpiresAt, notes }: Judgment): InstallNotice[] {
  const notices: InstallNotice[] = [];
  if (facts.build.archive === null) notices.push({ kind: 'unreadable' });
  if (facts.reinstall !== null) notices.push({ kind: 'reinstall', ...facts.reinstall });
  if (profileExpiresAt !== null && notes.includes('profile_expires_soon')) {
    notices.push({ kind: 'profile_expires', expiresAt: new Date(profileExpiresAt) });
  }
  if (facts.linkExpiresAt !== null) notices.push({ kind: 'link_expires', expiresAt: facts.linkExpiresAt });
  return notices;
}
