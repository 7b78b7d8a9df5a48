// Whether a device can install a build, and why, for the texts about devices and testers.
import type { VerdictReason } from '../../../compatibility/reasons.ts';

export const verdicts = { yes: 'Can install', no: "Can't install", unknown: 'Unknown' };

/** Parts of a sentence. */
export const verdictReasons: Record<VerdictReason, string> = {
  revoked: 'the build is revoked',
  platform: 'the build is for another platform',
  unreadable: "the package can't be read",
  simulator: 'the build is for the simulator',
  unsigned: "the build isn't signed",
  partial: 'the package is only one part of a split app',
  test_only: 'the package is marked testOnly',
  app_store_profile: 'the build is signed for the App Store',
  profile_expired: 'the provisioning profile has expired',
  device_family: "the build doesn't support this type of device",
  os_too_old: "the device's OS version is too old",
  signature_too_old: 'Android 11 and newer need a newer signature',
  abi_missing: "the build doesn't support the device's processor",
  not_provisioned: "the provisioning profile doesn't include this device",
  unknown_device: "we can't tell whether the profile includes this device",
  provisioned: 'the provisioning profile includes this device',
  enterprise: 'the provisioning profile allows all devices',
  installable: 'compatible',
};

/** Turns the parts of sentences into sentences. */
export function toSentences(reasons: Record<VerdictReason, string>): Record<VerdictReason, string> {
  const sentences = Object.entries(reasons).map(([reason, text]) => [
    reason,
    `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`,
  ]);
  return Object.fromEntries(sentences) as Record<VerdictReason, string>;
}
