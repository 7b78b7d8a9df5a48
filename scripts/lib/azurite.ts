// Azurite, the Azure Blob Storage of storage tests; the tests start it themselves. Installed into .cache, because it's as large as
// a third of all other packages.
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { azuriteDir, whyNoAzurite } from '../../test/support/azurite.ts';
import { projectDir, run } from './project.ts';

const source = join(projectDir, 'scripts/azurite');
const files = ['package.json', 'package-lock.json', '.npmrc'];

/** Installs Azurite if possible. Returns why it's missing, or undefined if it's available. */
export function provideAzurite(): string | undefined {
  if (whyNoAzurite() === undefined && isCurrent()) return undefined;
  rmSync(azuriteDir, { recursive: true, force: true });
  mkdirSync(azuriteDir, { recursive: true });
  for (const file of files) cpSync(join(source, file), join(azuriteDir, file));
  const words = ['install', '--prefix', azuriteDir, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  const { output } = run('npm', [...words, '--loglevel=error']);
  const missing = whyNoAzurite();
  return missing === undefined ? undefined : `Azurite could not be installed: ${output.trim()}`;
}

function isCurrent(): boolean {
  const [wanted, found] = [source, azuriteDir].map((folder) => join(folder, 'package-lock.json'));
  if (wanted === undefined || found === undefined || !existsSync(found)) return false;
  return readFileSync(wanted).equals(readFileSync(found));
}
