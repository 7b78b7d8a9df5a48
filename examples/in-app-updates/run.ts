// Asks a server for an update from the command line, as an app would at its start:
// node examples/in-app-updates/run.ts https://builds.example.com APP_KEY APP_SECRET VERSION_NAME BUILD_NUMBER
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUpdateClient, type Kept } from './client.ts';

const [baseUrl = '', appKey = '', appSecret = '', versionName = '', buildNumber = ''] = process.argv.slice(2);
const file = join(tmpdir(), `updates-${appKey.slice(-8)}.json`);

async function main(): Promise<void> {
  if (buildNumber === '') throw new Error('Usage: run.ts SERVER APP_KEY APP_SECRET VERSION_NAME BUILD_NUMBER');
  const client = createUpdateClient({
    baseUrl,
    appKey,
    appSecret,
    running: { versionName, buildNumber: Number(buildNumber) },
    device: { model: 'Terminal' },
    keeper: {
      load: async () => {
        const text = await readFile(file, 'utf8').catch(() => undefined);
        return text === undefined ? undefined : (JSON.parse(text) as Kept);
      },
      save: (kept) => writeFile(file, JSON.stringify(kept), { mode: 0o600 }),
    },
  });
  const { update_available: isAvailable, mandatory, release } = await client.check();
  if (!isAvailable || release === null) {
    process.stdout.write('Up to date.\n');
    return;
  }
  process.stdout.write(
    `${mandatory ? 'You must update' : 'You can update'} to ${release.version_name} (${release.build_number})\n`,
  );
  process.stdout.write(`${(await client.locate(release.identifier)).download_url}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
