// What the tries of several artifacts share: installing what is missing, and running executables for arm64.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canInstallPackages, installPackages } from '../debian.ts';
import { findFreePort } from '../ports.ts';
import { expect, start, waitFor, whileRunning } from '../processes.ts';
import type { Sources } from './sources.ts';

export interface Trial {
  version: string;
  sources: Sources;
}

/** A foreign processor is emulated, which takes 20 times as long. */
const EMULATED_START_MS = 180_000;
/** Where Debian's packages for compiling have the libraries of arm64. */
export const ARM_LIBRARIES = '/usr/aarch64-linux-gnu';

/** Installs Debian packages for the files that are missing. Returns why some still are, or undefined if all are there. */
export function provide(files: readonly string[], packages: readonly string[]): string | undefined {
  const findMissing = () => files.filter((file) => !existsSync(file));
  if (findMissing().length > 0 && canInstallPackages()) installPackages(packages);
  const missing = findMissing();
  if (missing.length === 0) return undefined;
  return `${missing.join(', ')} is missing (on Debian: apt-get install ${packages.join(' ')})`;
}

/** Installs what runs programs for arm64. Returns why it's missing, or undefined if it's available. */
export function provideEmulation(): string | undefined {
  const packages = ['qemu-user-static', 'libc6-arm64-cross', 'libstdc++6-arm64-cross'];
  return provide(['/usr/bin/qemu-aarch64-static', join(ARM_LIBRARIES, 'lib/libstdc++.so.6')], packages);
}

/** Runs an executable for arm64 with the libraries of a root folder, until it's ready. */
export async function serveEmulated(executable: string, root: string, folder: string): Promise<void> {
  expect(readFileSync(executable).readUInt16LE(18) === 183, 'it is not an executable for arm64');
  const port = await findFreePort();
  const env = { TAXIWAY_SERVER__PORT: String(port) };
  const server = start('qemu-aarch64-static', ['-L', root, executable, 'serve'], folder, env);
  await whileRunning(server, async () => {
    const isReady = async () => {
      const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
      return answer?.status === 200;
    };
    await waitFor(isReady, EMULATED_START_MS, () => `not ready: ${server.stdout()}${server.stderr()}`);
  });
}
