// Projects grouped into apps.
import { describe, expect, it } from 'vitest';
import { groupApps } from '../../src/dashboard/components/apps.ts';

interface Listed {
  identifier: string;
  platform: 'ios' | 'android';
  siblings: { identifier: string }[];
}

const project = (identifier: string, platform: Listed['platform'], ...siblings: string[]): Listed => ({
  identifier,
  platform,
  siblings: siblings.map((id) => ({ identifier: id })),
});
const group = (...projects: Listed[]) =>
  groupApps(projects, (one) => one).map((app) => app.map(({ identifier }) => identifier));

describe('the apps of a list of projects', () => {
  it('are linked projects together, in the place of the first one, iOS first', () => {
    const android = project('a', 'android', 'i');
    expect(group(android, project('x', 'ios'), project('i', 'ios', 'a'), project('y', 'android'))).toEqual([
      ['i', 'a'],
      ['x'],
      ['y'],
    ]);
  });

  it('contain each project once, also when the list changed between two reads', () => {
    expect(group(project('a', 'android', 'gone'), project('i', 'ios'))).toEqual([['a'], ['i']]);
    expect(group(project('i', 'ios'), project('a', 'android', 'i'))).toEqual([['i'], ['a']]);
    expect(group()).toEqual([]);
  });
});
