// Takes the pictures of a commit with its own sources and scripts.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { cacheDir, projectDir, run } from '../project.ts';

const LOCK = 'package-lock.json';

/** Runs `scripts/screens` of a commit. Packages are shared if the commit needs the same ones, and installed otherwise. */
export function inCommit(commit: string, options: readonly string[]): void {
  const folder = join(cacheDir, 'screens-before');
  leave(folder);
  const added = run('git', ['worktree', 'add', '--quiet', '--detach', folder, commit]);
  if (added.code !== 0) throw new Error(added.output);
  try {
    if (!existsSync(join(folder, 'scripts/screens.ts'))) throw new Error(`${commit} has no scripts/screens`);
    const read = (project: string) => readFileSync(join(project, LOCK), 'utf8');
    if (read(folder) === read(projectDir)) symlinkSync(join(projectDir, 'node_modules'), join(folder, 'node_modules'));
    const { status } = spawnSync(join(folder, 'scripts', 'screens'), options, { cwd: folder, stdio: 'inherit' });
    if (status !== 0) throw new Error(`scripts/screens of ${commit} failed`);
  } finally {
    leave(folder);
  }
}

function leave(folder: string): void {
  // The link first: what it leads to is ours.
  rmSync(join(folder, 'node_modules'), { force: true, recursive: true });
  rmSync(folder, { force: true, recursive: true });
  run('git', ['worktree', 'prune']);
}
