// Lines about what changes for testers from one build to another.
import type { BuildComparison } from '../../builds/compare-schema.ts';
import { nameMinimumVersion } from '../../compatibility/os-version.ts';
import { formatBytes } from '../../lib/formats.ts';
import type { Platform } from '../../platforms.ts';
import type { Texts } from '../texts/en.ts';
import { describePermission } from './package-words.ts';

/** Names of permissions in a line; further ones are counted. */
const MAX_NAMES = 3;
/** Smaller changes don't show in the three digits of a size. */
const MIN_SHARE = 0.001;

/** Returns a signed size, such as "+3.10 MB"; undefined if the sizes are practically the same. */
export function formatSizeChange(bytes: number, before: number, language: string): string | undefined {
  if (bytes === 0 || Math.abs(bytes) < before * MIN_SHARE) return undefined;
  return `${bytes > 0 ? '+' : '−'}${formatBytes(Math.abs(bytes), language)}`;
}

/** English names begin with a small letter within a sentence, unless they're abbreviations. */
function inSentence(name: string, language: string): string {
  return language.startsWith('en') && /^\p{Lu}\p{Ll}/u.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name;
}

/** Returns a line for each change that testers notice. */
export function describeChanges(
  comparison: BuildComparison,
  platform: Platform,
  { texts, language }: { texts: Texts; language: string },
): string[] {
  const t = texts.comparison;
  const { permissions, devices, certificates, profile, before } = comparison;
  const named = (names: readonly string[], count: number) => {
    const words = [...new Set(names.map((raw) => inSentence(describePermission(raw, platform, texts).name, language)))];
    const shown = words.slice(0, MAX_NAMES).join(', ');
    const rest = count - Math.min(names.length, MAX_NAMES);
    return words.length > MAX_NAMES ? `${shown} ${t.more(rest)}` : shown;
  };
  const size = formatSizeChange(comparison.size_change_bytes, before.size_bytes, language);
  const minimum = comparison.min_os_version;
  const system = minimum.before === minimum.after ? null : nameMinimumVersion(platform, minimum.after);
  const isOtherTeam = profile !== null && profile.team_id.before !== profile.team_id.after;
  return [
    permissions !== null &&
      permissions.added_count > 0 &&
      t.addedPermissions(permissions.added_count, named(permissions.added, permissions.added_count)),
    permissions !== null &&
      permissions.removed_count > 0 &&
      t.removedPermissions(permissions.removed_count, named(permissions.removed, permissions.removed_count)),
    size !== undefined && t.sizeChange(size),
    system !== null && t.requires(system),
    devices !== null && devices.removed_count > 0 && t.removedDevices(devices.removed_count),
    devices !== null && devices.added_count > 0 && t.addedDevices(devices.added_count),
    certificates !== null && certificates.added_count > 0 && certificates.removed_count > 0 && t.otherCertificate,
    isOtherTeam && t.otherTeam,
  ].filter((line) => typeof line === 'string');
}
