// The suggested channel and build in release dialogs, and the icon of a project.
import { describe, expect, it } from 'vitest';
import type { Build } from '../../src/builds/schema.ts';
import { suggestBuild, suggestChannel } from '../../src/dashboard/components/last-channel.ts';
import { projectIcon } from '../../src/dashboard/components/project-icon.ts';
import type { Project } from '../../src/projects/schema.ts';

const of = (...ids: string[]) => ids.map((identifier) => ({ identifier }));

describe('the suggested channel', () => {
  it.each<[string, string[], string | null, string[], string | undefined]>([
    ['the only one', ['beta'], null, [], 'beta'],
    ['the only one, not where the build is live', ['beta'], null, ['beta'], undefined],
    ['none of several', ['production', 'beta'], null, [], undefined],
    ['the one used last', ['production', 'beta'], 'beta', [], 'beta'],
    ['not the one used last where the build is live', ['production', 'beta'], 'beta', ['beta'], undefined],
    ['none when the one used last is gone', ['production', 'beta'], 'nightly', [], undefined],
    ['none where there is none', [], 'beta', [], undefined],
  ])('is %s', (_name, channels, last, live, picked) => {
    expect(suggestChannel(of(...channels), last, new Set(live))).toBe(picked);
  });
});

describe('the suggested build', () => {
  it.each<[string[], string | undefined, string | undefined]>([
    [['3', '2'], '2', '3'],
    [['3', '2'], undefined, '3'],
    [['3', '2'], '3', undefined],
    [[], undefined, undefined],
  ])('of %j with %s live is %s', (builds, live, picked) => {
    expect(suggestBuild(of(...builds), live)).toBe(picked);
  });
});

describe('the icon of a project', () => {
  const project = (own: string | null, pinned: string | null) =>
    ({ icon_url: own, bundle_identifier: pinned }) as Project;
  const build = (icon: string | null, bundle: string | null) =>
    ({
      icon_url: icon,
      inspection: bundle === null ? null : { bundle_identifier: bundle, build_number: '1' },
    }) as Build;

  it('is its own if it has one', () => {
    expect(projectIcon(project('own', 'com.a'), [build('a', 'com.a')])).toBe('own');
  });
  it('is never that of another app', () => {
    expect(projectIcon(project(null, 'com.a'), [build('b', 'com.b'), build('a', 'com.a')])).toBe('a');
    expect(projectIcon(project(null, 'com.a'), [build('b', 'com.b')])).toBeNull();
    expect(projectIcon(project(null, 'com.a'), [build('?', null)])).toBeNull();
  });
  it('is the first icon of a build if the project has no bundle identifier', () => {
    expect(projectIcon(project(null, null), [build(null, 'com.a'), build('b', 'com.b')])).toBe('b');
  });
});
