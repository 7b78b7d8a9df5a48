// Texts about testers: access, installed builds, compatibility, and the pause between emails.
import { describe, expect, it } from 'vitest';
import type { InstallVerdict } from '../../src/compatibility/schema.ts';
import { ApiError } from '../../src/dashboard/api/errors.ts';
import { readRetryTime } from '../../src/dashboard/components/cooldown.ts';
import { requestCommand } from '../../src/dashboard/components/request-command.ts';
import {
  describeGrant,
  describeInstalled,
  explainVerdict,
  splitGrants,
} from '../../src/dashboard/pages/channel/tester-texts.ts';
import { testers } from '../../src/dashboard/texts/en/testers.ts';

const t = testers.channel;
const since = '2026-01-01T00:00:00.000Z';
const way = (level: 'organization' | 'project' | 'channel' | 'group', group: string | null = null) => ({
  identifier: `way ${level}`,
  level,
  group_id: group,
  join_link_id: null,
  join_link_label: null,
  group_name: group,
  since,
});
const verdict = (over: Partial<InstallVerdict>): InstallVerdict => ({
  verdict: 'no',
  reason: 'not_provisioned',
  notes: [],
  profile_kind: null,
  profile_expires_at: null,
  needed_system: null,
  actual_system: null,
  needed_abis: [],
  ...over,
});

describe('access to a channel', () => {
  it('is named by its level, through a group by the name of the group', () => {
    expect(
      [way('organization'), way('project'), way('channel'), way('group', 'QA')].map((one) => describeGrant(one, t)),
    ).toEqual(['Organization', 'Project', 'Invited', 'Group QA']);
  });

  it('separates the invitation from other grants', () => {
    const [invited, group] = [way('channel'), way('group', 'QA')];
    expect(splitGrants([group, invited])).toEqual({ invited, others: [group] });
    expect(splitGrants([group])).toEqual({ invited: undefined, others: [group] });
  });
});

describe('the installed build', () => {
  const taken = { state: 'downloaded' as const, release_id: null, build_id: 'b', at: since };
  it.each([
    [null, null],
    [
      { ...taken, version_name: '1.4', build_number: 88, display_build_number: '88', device: 'Pixel 7, Android 14' },
      'Has 1.4 (88) · Pixel 7, Android 14',
    ],
    [
      { ...taken, version_name: '1.4', build_number: 88, display_build_number: '88', device: null },
      'Has 1.4 (88) · phone unknown',
    ],
    [
      { ...taken, version_name: null, build_number: null, display_build_number: null, device: null },
      'Has a deleted build · phone unknown',
    ],
  ])('is described for %j', (installed, words) => {
    expect(describeInstalled(installed, t)).toBe(words);
  });
});

describe('the reason why a device cannot install', () => {
  it.each<[Partial<InstallVerdict>, string]>([
    [{}, "the provisioning profile doesn't include this device"],
    [
      { reason: 'os_too_old', needed_system: 'iOS 15.0', actual_system: 'iOS 14.8' },
      "the device's OS version is too old, requires iOS 15.0, has iOS 14.8",
    ],
    [{ reason: 'os_too_old', needed_system: 'iOS 15.0' }, "the device's OS version is too old, requires iOS 15.0"],
    [
      { verdict: 'yes', reason: 'provisioned', notes: ['profile_expires_soon'] },
      'the provisioning profile includes this device, the profile expires soon',
    ],
  ])('is explained for %j', (over, words) => {
    expect(explainVerdict(verdict(over), t)).toBe(words);
  });
});

describe('the time of a retry', () => {
  const refused = (status: number, headers: Record<string, string> = {}) =>
    new ApiError(status, {}, new Headers(headers), 0);
  it('is the seconds of Retry-After from now', () => {
    expect(readRetryTime(refused(429, { 'retry-after': '240' }), 1000)).toBe(241_000);
  });
  it.each([refused(429), refused(404, { 'retry-after': '240' }), new Error('else'), null])(
    'is undefined for %s',
    (error) => {
      expect(readRetryTime(error, 1000)).toBeUndefined();
    },
  );
});

describe('a request as a command line', () => {
  it('contains the base path, and quotes the body', () => {
    expect(requestCommand('https://apps.example/x', 'POST', '/projects/p/testers', { name: "O'Hara" })).toBe(
      `curl -X POST 'https://apps.example/x/api/v1/projects/p/testers' \\\n` +
        `  -H "Authorization: Bearer $TAXIWAY_TOKEN" \\\n` +
        String.raw`  -H 'Content-Type: application/json' -d '{"name":"O'\''Hara"}'`,
    );
  });
});
