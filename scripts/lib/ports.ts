// Ports for servers that must know theirs before they start, or keep it over a restart.
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems hand out for port 0 and for connections (32,768 on Linux), so that nothing takes a port while no
 * server listens on it. Each process of a test run has its own part.
 */
const FIRST = 16_000;
const PER_PROCESS = 1_000;
const PROCESSES = 16;

/** Workers of the tests count from 1. */
const part = FIRST + (Number(process.env.VITEST_POOL_ID ?? 0) % PROCESSES) * PER_PROCESS;
/** Runs at the same time begin at different ports. */
let next = process.pid % PER_PROCESS;

/** Returns a TCP port of the loopback that is free. The process doesn't get it again. */
export async function findFreePort(): Promise<number> {
  for (let attempt = 0; attempt < PER_PROCESS; attempt += 1) {
    const port = part + next;
    next = (next + 1) % PER_PROCESS;
    if (await isFree(port)) return port;
  }
  throw new Error(`all ports from ${part} to ${part + PER_PROCESS - 1} are taken`);
}

async function isFree(port: number): Promise<boolean> {
  // On every address, as some servers listen on all.
  const probe = createServer();
  try {
    probe.listen(port);
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
