// The reasons for which a device can or can't install a build, shared with the web app and the command line.

/**
 * Reasons. `no`: revoked … not_provisioned. `yes`: provisioned (the profile contains the device), enterprise (all
 * devices), installable (nothing prevents the installation of an Android package). `unknown`: unreadable (Android may
 * still install it), unknown_device (the profile contains devices, and whether this is one of them is unknown).
 */
export const verdictReasons = [
  'revoked',
  'platform',
  'unreadable',
  'simulator',
  'unsigned',
  'partial',
  'test_only',
  'app_store_profile',
  'profile_expired',
  'device_family',
  'os_too_old',
  'signature_too_old',
  'abi_missing',
  'not_provisioned',
  'unknown_device',
  'provisioned',
  'enterprise',
  'installable',
] as const;
export type VerdictReason = (typeof verdictReasons)[number];

/** Reasons that apply to the build, regardless of the device. */
export const buildReasons = [
  'revoked',
  'unreadable',
  'simulator',
  'unsigned',
  'partial',
  'test_only',
  'app_store_profile',
  'profile_expired',
] as const satisfies readonly VerdictReason[];

/** Reasons for which no device can install a build. `not_provisioned` is one of them if the profile contains no devices. */
const universalReasons = [...buildReasons, 'not_provisioned'] as const;
/** Reasons for which any or no device can install a build. */
export const installabilityReasons = [...universalReasons, 'provisioned', 'enterprise', 'installable'] as const;
export type UniversalReason = (typeof universalReasons)[number];

/** Notes about installable builds: the profile expires within 30 days, or the build is debuggable. */
export const verdictNotes = ['profile_expires_soon', 'debuggable'] as const;
export type VerdictNote = (typeof verdictNotes)[number];
