// Tries the artifacts of a release on this machine: as root on Debian everything, elsewhere what runs.
import { existsSync } from 'node:fs';
import { hostTarget } from '../node-binaries.ts';
import { run } from '../project.ts';
import { type CheckResult, collectResults, smokeTest } from '../smoke.ts';
import { executablePath, releaseDir } from './build.ts';
import { tryAgain } from './try-again.ts';
import { tryDeb } from './try-deb.ts';
import { tryImage } from './try-image.ts';
import { ARM_LIBRARIES, provideEmulation, serveEmulated, type Trial } from './try-parts.ts';

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
