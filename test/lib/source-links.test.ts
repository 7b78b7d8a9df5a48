// Links to commits, branches, tags and pull requests.
import { expect, it } from 'vitest';
import { linkSource } from '../../src/lib/source-links.ts';

const source = {
  commit: 'abcdef0',
  branch: 'feature/a b#1',
  tag: 'v1+2',
  pull_request: 42,
  repository_url: 'https://github.com/harbor/app',
  run_url: 'https://ci.example.com/7',
};
const link = (repository_url: string | null) => {
  const { repository, commit, branch, tag, pullRequest } = linkSource({ ...source, repository_url });
  return { repository, rest: [commit, branch, tag, pullRequest] };
};

it.each([
  ['https://github.com/harbor/app.git/', 'https://github.com/harbor/app', ['commit', 'tree', 'tree', 'pull']],
  ['https://github.example.com/a/b', 'https://github.example.com/a/b', ['commit', 'tree', 'tree', 'pull']],
  [
    'https://gitlab.com/g/sub/app',
    'https://gitlab.com/g/sub/app',
    ['-/commit', '-/tree', '-/tags', '-/merge_requests'],
  ],
  ['https://bitbucket.org/a/b', 'https://bitbucket.org/a/b', ['commits', 'branch', 'commits/tag', 'pull-requests']],
  ['http://gitea.lan:3000/a/b', 'http://gitea.lan:3000/a/b', ['commit', 'src/branch', 'src/tag', 'pulls']],
  ['https://codeberg.org/a/b', 'https://codeberg.org/a/b', ['commit', 'src/branch', 'src/tag', 'pulls']],
])('of %s lead to its pages', (address, root, kinds) => {
  const names = ['abcdef0', 'feature/a%20b%231', 'v1%2B2', '42'];
  const rest = kinds.map((kind, index) => `${root}/${kind}/${names[index]}`);
  expect(link(address)).toEqual({ repository: root, rest });
});

const none = [undefined, undefined, undefined, undefined];
it.each([
  ['https://git.example.com/a/b', 'https://git.example.com/a/b'],
  ['https://bitbucket.example.com/projects/A/repos/b', 'https://bitbucket.example.com/projects/A/repos/b'],
  ['https://github.com/harbor', 'https://github.com/harbor'],
  ['https://notgithub.com/a/b', 'https://notgithub.com/a/b'],
  ['javascript:alert(1)//github.com/a/b', undefined],
  ['data:text/html,github.com/a/b', undefined],
  ['https://user:secret@github.com/a/b', undefined],
  ['ssh://git@github.com/a/b', undefined],
  ['nothing', undefined],
  [null, undefined],
])('of %s are left out', (address, repository) => {
  expect(link(address)).toEqual({ repository, rest: none });
});

it('stay below the repository, and only exist for what is known', () => {
  expect(linkSource({ ...source, branch: '../../other', tag: '..' })).toMatchObject({
    branch: undefined,
    tag: undefined,
  });
  const empty = { ...source, commit: null, branch: null, tag: null, pull_request: null };
  expect(linkSource({ ...empty, run_url: 'javascript:alert(1)' })).toEqual({
    repository: 'https://github.com/harbor/app',
    commit: undefined,
    branch: undefined,
    tag: undefined,
    pullRequest: undefined,
    run: undefined,
  });
});
