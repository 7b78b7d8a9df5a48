// First path segments that the server uses itself. The path of base_url can't start with one.
import { appSegments } from '../web-paths.ts';

export const reservedSegments: ReadonlySet<string> = new Set([
  ...appSegments,
  '.well-known',
  'api',
  'assets',
  'cli',
  'docs',
  'feeds',
  'health',
  'i',
  'install',
  'invite',
  'join',
  'metrics',
  'public',
  's',
  'sdk',
  'setup',
  'storage',
  'trust',
]);

/** Returns the first path segment of a URL if it's reserved. */
export function findReservedSegment(address: string): string | undefined {
  const [, first = ''] = new URL(address).pathname.split('/');
  return first !== '' && reservedSegments.has(first) ? first : undefined;
}
