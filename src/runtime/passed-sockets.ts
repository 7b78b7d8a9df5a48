// Listening sockets that the service manager opened. They stay open while the server restarts, so that clients wait instead of failing.

import { isIP } from 'node:net';

/** The server can't listen: a passed socket isn't for the configured port. */
export class PassedSocketError extends Error {}

const FIRST_DESCRIPTOR = 3;
const MAX_SOCKETS = 16;

/**
 * Returns the file descriptors of the listening sockets that were passed to this process, in the order of the unit (sd_listen_fds(3)).
 * Removes the variables, because child processes don't have the sockets.
 */
export function takePassedSockets(env: NodeJS.ProcessEnv, pid: number): number[] {
  const { LISTEN_PID: owner, LISTEN_FDS: count = '' } = env;
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete env[name];
  if (owner !== String(pid) || !/^\d{1,2}$/.test(count)) return [];
  return Array.from({ length: Math.min(Number(count), MAX_SOCKETS) }, (_, index) => FIRST_DESCRIPTOR + index);
}

/** The addresses that a socket can have for a host. A socket for all addresses of IPv6 also is one for all of IPv4. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  '0.0.0.0': ['0.0.0.0', '::'],
  '::': ['0.0.0.0', '::'],
  localhost: ['127.0.0.1', '::1'],
};

/** Whether a passed socket listens where the server is configured to. Another one could be open to a network that it shouldn't be open to. */
export function isAddressOf(host: string, address: string | undefined): boolean {
  const name = host.replace(/^\[|\]$/g, '').toLowerCase();
  if (address === undefined) return false;
  // Other names than these would have to be looked up.
  if (!isIP(name) && aliases[name] === undefined) return true;
  return (aliases[name] ?? [name]).includes(address.replace(/^::ffff:(?=\d+\.)/, ''));
}
