// What a tester has, reaches a channel by, and can install, in words.
import type { InstallVerdict } from '../../../compatibility/schema.ts';
import type { ChannelTester } from '../../../testers/roster/schema.ts';
import type { Texts } from '../../texts/en.ts';

type Words = Texts['testers']['channel'];
type Way = ChannelTester['grants'][number];

/** How a way into the channel is called: a group by its name. */
export function nameWay({ level, group_name: group }: Way, t: Words): string {
  return group === null ? t.levels[level] : `${t.levels.group} ${group}`;
}

/** What somebody took from the channel: build, phone; null for nothing yet. */
export function describeInstalled(installed: ChannelTester['installed'], t: Words): string | null {
  if (installed === null) return null;
  const { version_name: version, display_build_number: build, device } = installed;
  const name = version === null ? t.deletedBuild : `${version} (${build})`;
  return `${t.installedBuild(name)} · ${device ?? t.unknownPhone}`;
}

/** Why a device can or cannot install what is served, with the systems where they decide. */
export function explainVerdict(verdict: InstallVerdict, t: Words): string {
  const parts = [t.reasons[verdict.reason]];
  if (verdict.reason === 'os_too_old') {
    if (verdict.needed_system !== null) parts.push(t.requiresSystem(verdict.needed_system));
    if (verdict.actual_system !== null) parts.push(t.hasSystem(verdict.actual_system));
  }
  if (verdict.notes.includes('profile_expires_soon')) parts.push(t.profileExpiresSoon);
  return parts.join(', ');
}

/** The invitation by which somebody came, and the other ways that stay without it. */
export function splitWays(grants: readonly Way[]): { invited: Way | undefined; others: Way[] } {
  const invited = grants.find(({ level }) => level === 'channel');
  return { invited, others: grants.filter((way) => way !== invited) };
}
