// Builds a release a second time, from a copy of the sources in another folder, and compares every byte.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheDir, projectDir, run } from '../project.ts';
import type { CheckResult } from '../smoke.ts';
import { releaseDir } from './build.ts';
import type { Sources } from './sources.ts';

export function tryAgain({ commit, seconds }: Sources, version: string): CheckResult {
  const name = 'in another folder gives the same bytes';
  const listed = run('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z']);
  if (listed.code !== 0) return { name, skipped: 'it requires a clone of the repository' };
  const folder = mkdtempSync(join(cacheDir, 'again-'));
  const copy = join(folder, 'a-longer-path/for-other-sources');
  try {
    for (const path of listed.output.split('\0').filter((path) => path !== '')) {
      mkdirSync(dirname(join(copy, path)), { recursive: true });
      cpSync(join(projectDir, path), join(copy, path));
    }
    // Hard links, because bundlers record where a symbolic link leads.
    const linked = run('cp', ['-al', join(projectDir, 'node_modules'), join(copy, 'node_modules')]);
    if (linked.code !== 0) throw new Error(linked.output.trim());
    mkdirSync(join(copy, '.cache'));
    for (const part of ['node', 'pinned-node']) symlinkSync(join(cacheDir, part), join(copy, '.cache', part));
    // Another time zone, language and file mask.
    const env = {
      ...process.env,
      TAXIWAY_COMMIT: commit,
      SOURCE_DATE_EPOCH: String(seconds),
      TZ: 'Asia/Tokyo',
      LANG: 'C',
    };
    const words = ['-c', 'umask 077; exec "$@"', 'sh', process.execPath, join(copy, 'scripts/release.ts'), version];
    const { code, output } = run('sh', words, env);
    if (code !== 0) throw new Error(output.trim().split('\n').slice(-5).join('\n'));
    const differing = compare(join(copy, 'dist/release/SHA256SUMS'));
    return differing.length === 0 ? { name } : { name, failure: `these differ: ${differing.join(', ')}` };
  } catch (error) {
    return { name, failure: error instanceof Error ? error.message : String(error) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the names of the files whose checksums differ, or that only one of the builds has. */
function compare(other: string): string[] {
  const read = (file: string) => new Set(readFileSync(file, 'utf8').trim().split('\n'));
  const [first, second] = [read(join(releaseDir, 'SHA256SUMS')), read(other)];
  const differing = [...first.symmetricDifference(second)].map((line) => line.split('  ')[1] ?? line);
  return [...new Set(differing)].sort();
}
