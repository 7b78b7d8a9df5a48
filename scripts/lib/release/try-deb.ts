// Tries the Debian packages: install, serve, upgrade, remove and purge in a system of its own.
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../ports.ts';
import { expect } from '../processes.ts';
import { run } from '../project.ts';
import { type CheckResult, collectResults } from '../smoke.ts';
import { debPath, executablePath } from './build.ts';
import { writeCompletions, writeDeb } from './deb.ts';
import { ARM_LIBRARIES, provide, provideEmulation, serveEmulated, type Trial } from './try-parts.ts';

/** A later version, for trying an upgrade. */
const LATER = '999.0.0';
/** systemd's figure for what a service could do: 10 is everything, a web server without hardening 9.6. */
const MOST_EXPOSURE = 2.5;

/** Runs a script as root of the system in a folder, with /proc. */
function runIn(root: string, script: string): string {
  // The mounts and all processes end with the first one.
  const outer = `mount -t proc proc '${root}/proc' && exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot '${root}' bash -euo pipefail -c "$1"`;
  const { code, output } = run('unshare', [
    '--mount',
    '--pid',
    '--fork',
    '--kill-child',
    'bash',
    '-c',
    outer,
    'bash',
    script,
  ]);
  expect(code === 0, `exit ${code}: ${output.trim().split('\n').slice(-12).join('\n')}`);
  return output;
}

export async function tryDeb({ version, sources }: Trial): Promise<CheckResult[]> {
  const name = 'in a system of its own';
  if (process.getuid?.() !== 0) return [{ name, skipped: 'it requires root' }];
  const packages = ['amd64', 'arm64'].map((architecture) => debPath(version, architecture));
  const skipped = packages.every((path) => existsSync(path))
    ? provide(['/usr/bin/mmdebstrap', '/usr/bin/dpkg-deb'], ['mmdebstrap', 'dpkg'])
    : 'it was left out';
  if (skipped !== undefined) return [{ name, skipped }];
  const { results, check } = collectResults();
  const root = mkdtempSync(join(tmpdir(), 'taxiway-deb-'));
  try {
    const words = ['--quiet', '--mode=root', '--variant=minbase', '--include=systemd,libstdc++6', 'bookworm', root];
    const made = run('mmdebstrap', words);
    if (made.code !== 0) return [{ name, skipped: `no system: ${made.output.trim().split('\n').at(-1)}` }];
    const executable = readFileSync(executablePath(version, 'linux-x64'));
    const { seconds } = sources;
    const completions = await writeCompletions();
    const later = { version: LATER, architecture: 'amd64', executable, completions, notices: '', seconds } as const;
    copyFileSync(debPath(version, 'amd64'), join(root, 'one.deb'));
    writeFileSync(join(root, 'two.deb'), writeDeb(later));
    await check('installs, with an account, an enabled service and a protected configuration', async () =>
      tryInstall(root, version),
    );
    await check('serves with the account of the service', async () => tryServe(root, await findFreePort()));
    await check('upgrades and keeps the data and a changed configuration', async () =>
      tryUpgrade(root, await findFreePort()),
    );
    await check('is removed without the data, and purged with it', async () => tryRemove(root));
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  const foreign = 'for arm64 contains an executable that serves';
  const unable = provideEmulation();
  if (unable !== undefined) return [...results, { name: foreign, skipped: unable }];
  await check(foreign, (folder) => tryForeign(version, folder));
  return results;
}

function tryInstall(root: string, version: string): void {
  const output = runIn(
    root,
    `dpkg --install /one.deb >&2
     id --user --name taxiway
     stat --format '%U:%G %a' /etc/taxiway/config.toml /var/lib/taxiway
     systemctl is-enabled taxiway.service
     systemd-analyze verify taxiway.service
     systemd-analyze security --offline=true taxiway.service | tail -1
     taxiway version`,
  );
  for (const line of ['taxiway\n', 'root:taxiway 640\ntaxiway:taxiway 750\n', '\nenabled\n', `taxiway ${version} (`])
    expect(output.includes(line), `no ${JSON.stringify(line)} in ${output}`);
  const [, exposure = '10'] = /exposure level for taxiway.service: ([\d.]+)/.exec(output) ?? [];
  expect(Number(exposure) <= MOST_EXPOSURE, `systemd-analyze security: ${exposure}`);
}

/** Starts the server like the service does, waits until it's ready and expects a clean end. */
const SERVE = (port: number) => `export TAXIWAY_SERVER__PORT=${port}
  as="setpriv --reuid taxiway --regid taxiway --clear-groups --no-new-privs"
  $as taxiway serve --config /etc/taxiway/config.toml > /tmp/log 2>&1 &
  for _ in $(seq 100); do $as taxiway health --config /etc/taxiway/config.toml 2>/dev/null && break; sleep 0.2; done
  kill $! && wait $! || { echo "serve exited with $?"; exit 1; }`;

function tryServe(root: string, port: number): void {
  const output = runIn(
    root,
    `${SERVE(port)}\nstat --format '%U %a' /var/lib/taxiway/taxiway.db\ngrep --count /setup/ /tmp/log`,
  );
  expect(/^ready\ntaxiway 6[04]0\n1\n$/m.test(output), output);
}

function tryUpgrade(root: string, port: number): void {
  const output = runIn(
    root,
    `echo '# changed' >> /etc/taxiway/config.toml
     systemctl disable taxiway.service 2>/dev/null
     DEBIAN_FRONTEND=noninteractive dpkg --force-confdef --force-confold --install /two.deb >&2
     tail -1 /etc/taxiway/config.toml
     systemctl is-enabled taxiway.service || true
     ls /var/lib/taxiway/taxiway.db
     dpkg-query --show --showformat '\${Version}\\n' taxiway
     ${SERVE(port)}`,
  );
  const lines = ['# changed\ndisabled\n/var/lib/taxiway/taxiway.db\n', `${LATER}\nready\n`];
  for (const line of lines) expect(output.includes(line), `no ${JSON.stringify(line)} in ${output}`);
}

function tryRemove(root: string): void {
  runIn(
    root,
    `dpkg --remove taxiway
     [ -e /var/lib/taxiway/taxiway.db ] && [ -e /etc/taxiway/config.toml ] && [ ! -e /usr/bin/taxiway ]
     dpkg --purge taxiway
     [ ! -e /var/lib/taxiway ] && [ ! -e /etc/taxiway ] && [ ! -e /etc/systemd/system/taxiway.service ]
     ! dpkg-query --status taxiway 2>/dev/null`,
  );
}

async function tryForeign(version: string, folder: string): Promise<void> {
  const { code, output } = run('dpkg-deb', ['--extract', debPath(version, 'arm64'), join(folder, 'root')]);
  expect(code === 0, output);
  await serveEmulated(join(folder, 'root/usr/bin/taxiway'), ARM_LIBRARIES, folder);
}
