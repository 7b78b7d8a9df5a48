// Which project a package belongs to that is dropped on the list of projects.
import { describe, expect, it } from 'vitest';
import { matchProject } from '../../src/dashboard/upload/match-project.ts';
import type { ProjectOverview } from '../../src/overviews/project-schema.ts';

const overview = (identifier: string, platform: string, pinned: string | null, last: string | null = null) =>
  ({
    project: { identifier, platform, bundle_identifier: pinned },
    newest_release: null,
    last_upload: last === null ? null : { bundle_identifier: last },
  }) as ProjectOverview;
const ids = (match: ReturnType<typeof matchProject>) =>
  'project' in match ? match.project.identifier : match.candidates.map(({ identifier }) => identifier);

const all = [
  overview('tide-ios', 'ios', 'com.example.tide'),
  overview('tide-android', 'android', 'com.example.tide'),
  overview('moon', 'android', null, 'com.example.moon'),
  overview('new', 'android', null),
];

describe('a dropped package', () => {
  it.each([
    ['ios', 'com.example.tide', 'tide-ios'],
    ['android', 'com.example.tide', 'tide-android'],
    ['android', 'com.example.moon', 'moon'],
    ['android', 'com.example.other', ['tide-android', 'moon', 'new']],
    ['android', undefined, ['tide-android', 'moon', 'new']],
    ['ios', undefined, ['tide-ios']],
  ] as const)('for %s with the identifier %s goes to %j', (platform, bundleIdentifier, expected) => {
    expect(ids(matchProject(all, { platform, bundleIdentifier }))).toEqual(expected);
  });

  it('has the projects with its identifier as candidates, and none without projects', () => {
    const twins = [...all, overview('tide-beta', 'android', 'com.example.tide')];
    const tide = { platform: 'android', bundleIdentifier: 'com.example.tide' } as const;
    expect(ids(matchProject(twins, tide))).toEqual(['tide-android', 'tide-beta']);
    expect(matchProject(twins, tide)).toMatchObject({ hasApp: true });
    expect(matchProject([], tide)).toEqual({ candidates: [], hasApp: false });
    expect(matchProject(all, { ...tide, bundleIdentifier: 'com.example.sun' })).toMatchObject({ hasApp: false });
  });
});
