// Listening sockets that the service manager opened. They stay open while the server restarts, so that clients wait instead of failing.

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
