// Which of several paths answers: fixed segments before parameters, from left to right.
import { describe, expect, it } from 'vitest';
import { createRouteTree } from '../../src/http/route-tree.ts';

const paths = [
  '/',
  '/developers/me',
  '/developers/{id}',
  '/developers/{id}/avatar',
  '/{kind}/me/avatar',
  '/install/{capability}',
  '/install/channels/{channel_id}',
];
const tree = createRouteTree<string>();
for (const path of paths) tree.add(path, path);

describe('the route tree', () => {
  it.each([
    ['/', '/', {}],
    ['/developers/me', '/developers/me', {}],
    ['/developers/7', '/developers/{id}', { id: '7' }],
    ['/developers/me/avatar', '/developers/{id}/avatar', { id: 'me' }],
    ['/teams/me/avatar', '/{kind}/me/avatar', { kind: 'teams' }],
    ['/install/abc', '/install/{capability}', { capability: 'abc' }],
    ['/install/channels', '/install/{capability}', { capability: 'channels' }],
    ['/install/channels/abc', '/install/channels/{channel_id}', { channel_id: 'abc' }],
  ])('%s is answered by %s', (path, target, params) => {
    expect(tree.find(path)).toEqual({ target, params });
  });

  it.each(['/developers', '/developers/', '/developers/7/', '//7', '/install/channels/', '/developers/7/avatar/x'])(
    'nothing answers %j',
    (path) => {
      expect(tree.find(path)).toBeUndefined();
    },
  );
});
