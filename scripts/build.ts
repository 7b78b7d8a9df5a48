// Builds the release artifacts: the bundle, the executable, the files of the npm package.
import { statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { buildBundle } from './lib/bundle.ts';
import { buildExecutable } from './lib/executable.ts';
import { buildLibrary, packLibrary } from './lib/library.ts';
import { hostTarget, targets } from './lib/node-binaries.ts';
import { distDir, projectDir, say } from './lib/project.ts';

const help = `scripts/build [options]

Builds dist/taxiway, one executable file for this machine's platform.

  --target NAME   for another platform: ${Object.keys(targets).join(', ')}
  --out FILE      where to put the executable
  --bundle-only   only dist/taxiway.cjs and dist/assets, for Node 24
  --library       only what the npm package consists of: dist/taxiway.cjs, dist/assets, dist/lib and dist/types
  --package       the npm package, ready to install or publish: dist/taxiway-VERSION.tgz
  --no-bundle     from dist/taxiway.cjs and dist/assets as an earlier build left them

Example: scripts/build --target linux-arm64 --out dist/taxiway-linux-arm64
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    allowNegative: true,
    options: {
      target: { type: 'string' },
      out: { type: 'string' },
      'bundle-only': { type: 'boolean', default: false },
      library: { type: 'boolean', default: false },
      package: { type: 'boolean', default: false },
      bundle: { type: 'boolean', default: true },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  if (values.bundle) await buildBundle();
  if (values.library || values.package) {
    await buildLibrary();
    say('dist/lib and dist/types');
  }
  if (values.package) {
    const tarball = packLibrary();
    say(`${relative(projectDir, tarball)}  ${Math.round(statSync(tarball).size / 1024 / 1024)} MiB`);
  }
  if (values.library || values.package || values['bundle-only']) return;
  const host = hostTarget();
  const target = values.target ?? host;
  if (target === undefined)
    throw new Error(`This platform isn't a supported target: choose one of ${Object.keys(targets).join(', ')}`);
  const name = target === host ? 'taxiway' : `taxiway-${target}`;
  const output = values.out ?? join(distDir, target.startsWith('win') ? `${name}.exe` : name);
  await buildExecutable(target, output);
  say(`${relative(projectDir, output)}  ${Math.round(statSync(output).size / 1024 / 1024)} MiB`);
}

main().catch((error: unknown) => {
  const cause = error instanceof Error && error.cause instanceof Error ? `: ${error.cause.message}` : '';
  process.stderr.write(`scripts/build: ${error instanceof Error ? error.message : String(error)}${cause}\n`);
  const isWrongUsage = error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
  process.exitCode = isWrongUsage ? 2 : 1;
});
