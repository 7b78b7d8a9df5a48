// Tries the artifacts of a release on this machine: as root on Debian everything, elsewhere what runs.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canInstallPackages, installPackages } from '../debian.ts';
import { hostTarget } from '../node-binaries.ts';
import { findFreePort } from '../ports.ts';
import { expect, start, waitFor, whileRunning } from '../processes.ts';
import { run } from '../project.ts';
import { type CheckResult, collectResults, smokeTest } from '../smoke.ts';
import { executablePath, releaseDir } from './build.ts';
import type { Sources } from './sources.ts';
import { tryAgain } from './try-again.ts';
import { tryDeb } from './try-deb.ts';
import { tryImage } from './try-image.ts';

export interface Trial {
  version: string;
  sources: Sources;
}

/** A foreign processor is emulated, which takes 20 times as long. */
const EMULATED_START_MS = 180_000;
/** Where Debian's packages for compiling have the libraries of arm64. */
export const ARM_LIBRARIES = '/usr/aarch64-linux-gnu';

/** Tries everything, and says each result when it's known. */
export async function tryRelease(trial: Trial, say: (line: string) => void): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  const parts: [string, (trial: Trial) => Promise<CheckResult[]>][] = [
    ['checksums', async () => [checkSums()]],
    ['executables', tryExecutables],
    ['package', tryDeb],
    ['image', tryImage],
    ['second build', async ({ sources }) => [tryAgain(sources, trial.version)]],
  ];
  for (const [part, attempt] of parts) {
    for (const result of await attempt(trial)) {
      const { failure, skipped } = result;
      const outcome =
        failure === undefined ? (skipped === undefined ? 'ok' : `skipped: ${skipped}`) : `FAILED: ${failure}`;
      say(`${part}: ${result.name}: ${outcome}`);
      results.push(result);
    }
  }
  return results;
}

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

function checkSums(): CheckResult {
  const name = 'SHA256SUMS are those of the files';
  const { code, output } = run('sh', ['-c', `cd '${releaseDir}' && sha256sum --check --quiet SHA256SUMS`]);
  return code === 0 ? { name } : { name, failure: output.trim() };
}

async function tryExecutables({ version }: Trial): Promise<CheckResult[]> {
  const host = hostTarget();
  const own = host === undefined ? undefined : executablePath(version, host);
  const results = own !== undefined && existsSync(own) ? await smokeTest(own) : [];
  if (host === 'linux-x64') results.push(...(await tryEmulated(executablePath(version, 'linux-arm64'))));
  const windows = executablePath(version, 'win-x64');
  if (existsSync(windows) && host !== 'win-x64') {
    results.push({ name: 'the executable for Windows', skipped: 'it only runs on Windows' });
  }
  return results;
}

async function tryEmulated(executable: string): Promise<CheckResult[]> {
  const name = 'the executable for arm64 serves';
  const skipped = existsSync(executable) ? provideEmulation() : 'it was left out';
  if (skipped !== undefined) return [{ name, skipped }];
  const { results, check } = collectResults();
  await check(name, (folder) => serveEmulated(executable, ARM_LIBRARIES, folder));
  return results;
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
