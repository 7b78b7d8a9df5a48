// Builds everything that a release consists of into dist/release, and optionally tries it.
import { readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { projectDir, readManifest, say } from './lib/project.ts';
import { buildRelease, type ReleaseFile } from './lib/release/build.ts';
import { cutNotes } from './lib/release/notes.ts';
import { readSources } from './lib/release/sources.ts';
import { tryRelease } from './lib/release/try.ts';

const help = `scripts/release VERSION [options]

Builds everything that a release consists of into dist/release, with SHA256SUMS. The same commit gives the same bytes.
VERSION is that of package.json, and CHANGELOG.md has a section for it. An artifact that can't be built on this machine
is left out, with the reason; with CI=true that is a failure.

  --try   also tries the artifacts, as root on Debian: the executables, the package in a system of its own, the image,
          and a second build in another folder
`;

/** Throws if the sources aren't those of the version. */
function prepare(version: string | undefined): { version: string; notes: string } {
  if (version === undefined) throw new TypeError('name the version, such as scripts/release 1.0.0');
  if (!/^\d+\.\d+\.\d+(?:-[\da-z.]+)?$/.test(version))
    throw new TypeError(`${version} isn't a version such as 1.0.0 or 1.0.0-rc.1`);
  const own = readManifest().version;
  if (own !== version) throw new TypeError(`package.json has the version ${own}: change it to ${version} first`);
  return { version, notes: cutNotes(readFileSync(join(projectDir, 'CHANGELOG.md'), 'utf8'), version) };
}

function report(file: ReleaseFile): void {
  if ('missing' in file) say(`left out: ${file.name}: ${file.missing}`);
  else
    say(
      `${relative(projectDir, file.path).padEnd(56)}${(statSync(file.path).size / 1024 / 1024).toFixed(1).padStart(7)} MiB`,
    );
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { try: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const { version, notes } = prepare(positionals[0]);
  const sources = readSources();
  if (sources.isChanged)
    say('The sources have changes that are not committed, so nobody else can build the same bytes.');
  const files = await buildRelease({ version, notes, sources });
  for (const file of files) report(file);
  const missing = files.filter((file) => 'missing' in file).length;
  if (missing > 0 && process.env.CI === 'true') process.exitCode = 1;
  if (!values.try) return;
  const results = await tryRelease({ version, sources }, (line) => say(line));
  const failed = results.filter(({ failure }) => failure !== undefined).length;
  const skipped = results.filter((result) => result.skipped !== undefined).length;
  say(`${results.length - failed - skipped} passed, ${failed} failed, ${skipped} skipped`);
  if (failed > 0 || (skipped > 0 && process.env.CI === 'true')) process.exitCode = 1;
}

main().catch((error: unknown) => {
  process.stderr.write(`scripts/release: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof TypeError ? 2 : 1;
});
