// First segments of the server's own addresses: base_url cannot have a path that begins with one.
import { appSegments } from '../web-paths.ts';

export const reservedSegments: ReadonlySet<string> = new Set([
  ...appSegments,
  '.well-known',
  'api',
  'assets',
  'health',
  'install',
  'invite',
  'metrics',
  'public',
  'sdk',
  'setup',
  'storage',
  'trust',
]);

/** The first segment of the path of an address, where it is one of the server's own. */
export function findReservedSegment(address: string): string | undefined {
  const [, first = ''] = new URL(address).pathname.split('/');
  return first !== '' && reservedSegments.has(first) ? first : undefined;
}
