// Texts about testers: installed build, access, and compatibility.
import type { InstallVerdict } from '../../../compatibility/schema.ts';
import type { ChannelTester } from '../../../testers/roster/schema.ts';
import type { Texts } from '../../texts/en.ts';

type Words = Texts['testers']['channel'];
type Grant = ChannelTester['grants'][number];

/** Returns the name of a grant. A grant through a group or a join link contains its name. */
export function describeGrant(grant: Grant, t: Words): string {
  const { level, group_name: group, join_link_id: linkId, join_link_label: label } = grant;
  if (linkId !== null) return label === null ? t.byLink : `${t.byLink} ${label}`;
  return group === null ? t.levels[level] : `${t.levels.group} ${group}`;
}

/** Returns the installed build and device; null if there are no installs. */
export function describeInstalled(installed: ChannelTester['installed'], t: Words): string | null {
  if (installed === null) return null;
  const { version_name: version, display_build_number: build, device } = installed;
  const name = version === null ? t.deletedBuild : `${version} (${build})`;
  return `${t.installedBuild(name)} · ${device ?? t.unknownPhone}`;
}

/** Returns why a device can or can't install the live build, with the OS versions if they matter. */
export function explainVerdict(verdict: InstallVerdict, t: Words): string {
  const parts = [t.reasons[verdict.reason]];
  if (verdict.reason === 'os_too_old') {
    if (verdict.needed_system !== null) parts.push(t.requiresSystem(verdict.needed_system));
    if (verdict.actual_system !== null) parts.push(t.hasSystem(verdict.actual_system));
  }
  if (verdict.notes.includes('profile_expires_soon')) parts.push(t.profileExpiresSoon);
  return parts.join(', ');
}

/** Separates the grant by invitation from grants that remain without it. */
export function splitGrants(grants: readonly Grant[]): { invited: Grant | undefined; others: Grant[] } {
  const invited = grants.find(({ level }) => level === 'channel');
  return { invited, others: grants.filter((way) => way !== invited) };
}
