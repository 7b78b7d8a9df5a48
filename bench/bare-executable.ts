// Builds the executable that a start is compared with: the same Node.js and database driver, and a program of a few lines.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { driverRequire } from '../scripts/lib/bundle.ts';
import { commonOptions } from '../scripts/lib/bundle-options.ts';
import { assembleExecutable, findAddon, generateBlob } from '../scripts/lib/executable.ts';
import { hostTarget, targets } from '../scripts/lib/node-binaries.ts';

/** Builds it in an empty folder and returns its path. */
export async function buildBareExecutable(folder: string): Promise<string> {
  const target = targets[hostTarget() ?? ''];
  if (target === undefined) throw new Error("There is no Node.js for this platform's executable");
  await mkdir(folder, { recursive: true });
  await build({
    ...commonOptions,
    entryPoints: [join(import.meta.dirname, 'bare-program.ts')],
    outfile: join(folder, 'bare.cjs'),
    format: 'cjs',
    banner: { js: driverRequire },
  });
  const config = { main: 'bare.cjs', useCodeCache: true, assets: { addon: findAddon(target) } };
  const output = join(folder, 'bare');
  await assembleExecutable(target, { folder, blob: await generateBlob(folder, config), output });
  return output;
}
