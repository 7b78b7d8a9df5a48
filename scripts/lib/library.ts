// Builds the importable files of the npm package: `taxiway` and `taxiway/testing`, with their types.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { buildDefinitions, commonOptions } from './bundle.ts';
import { distDir, runPackageCommand } from './project.ts';

/** Builds dist/lib (ES modules with external packages) and dist/types. */
export async function buildLibrary(): Promise<void> {
  for (const folder of ['lib', 'types']) rmSync(join(distDir, folder), { recursive: true, force: true });
  await build({
    ...commonOptions,
    minifyWhitespace: false,
    minifySyntax: false,
    entryPoints: ['src/server.ts', 'src/testing.ts'],
    outdir: join(distDir, 'lib'),
    format: 'esm',
    splitting: true,
    packages: 'external',
    define: buildDefinitions('../assets'),
  });
  const words = ['-p', 'tsconfig.library.json'];
  const { code, output } = runPackageCommand('typescript/bin/tsc', words);
  if (code !== 0) throw new Error(`The types of the package can't be generated:\n${output}`);
}
