// Which of several routes matches a path: literal segments before parameters, from left to right.
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
for (const path of paths) tree.add('GET', path, path);
tree.add('PUT', '/developers/{name}', 'put');

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
  ])('matches %s with %s', (path, target, params) => {
    expect(tree.match('GET', path)).toEqual([[[target, params]]]);
  });

  it.each(['/developers', '/developers/', '/developers/7/', '//7', '/install/channels/', '/developers/7/avatar/x'])(
    'matches %j with nothing',
    (path) => {
      expect(tree.match('GET', path)).toEqual([[]]);
    },
  );

  it('separates methods', () => {
    expect(tree.match('PUT', '/developers/me')).toEqual([[['put', { name: 'me' }]]]);
    expect(tree.match('PUT', '/')).toEqual([[]]);
    expect(tree.match('DELETE', '/')).toEqual([[]]);
  });

  it.each([
    ['a parameter that is part of a segment', 'GET', '/builds/{id}.plist'],
    ["a pattern in Hono's own form", 'GET', '/builds/:id'],
    ['a wildcard', 'GET', '/builds/*'],
    ['a route for all methods', 'ALL', '/builds'],
    ['a route that is there', 'GET', '/install/{token}'],
  ])('rejects %s', (_what, method, path) => {
    expect(() => tree.add(method, path, path)).toThrow(TypeError);
  });
});
