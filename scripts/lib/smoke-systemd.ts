// Restarts the executable under systemd itself, with the units of `taxiway init --systemd`, while requests arrive.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from './ports.ts';
import { expect, type Running, runOnce, start, waitFor } from './processes.ts';

const SYSTEMD = '/lib/systemd/systemd';
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
const RESTARTS = 3;
/** New requests arrive this often, each on a connection of its own. */
const PAUSE_MS = 5;
const CONTROL_GROUPS = '/sys/fs/cgroup';
/** Followed by the id of the process that runs the test. */
const GROUP_PREFIX = 'taxiway-systemd-';
const GROUP = `${GROUP_PREFIX}${process.pid}`;
/** The first version with `systemctl kill --kill-whom`. */
const LEAST_VERSION = 252;

/**
 * Creates a control group and enters it, because systemd moves all processes of the group that it starts in. Fails if there is no group
 * to enter.
 */
const ENTER_GROUP = `
entered=
for tree in systemd unified .; do
  folder=${CONTROL_GROUPS}/$tree
  [ -e $folder/cgroup.procs ] || continue
  mkdir -p $folder/${GROUP}
  echo $$ > $folder/${GROUP}/cgroup.procs
  entered=1
done
[ -n "$entered" ]`;

/** Shows the process only its own control groups, in version 2 or in both versions as systemd needs them. */
const MOUNT_GROUPS = `
if [ -e ${CONTROL_GROUPS}/cgroup.procs ]; then
  mount -t cgroup2 cgroup2 ${CONTROL_GROUPS}
else
  mount -t tmpfs tmpfs ${CONTROL_GROUPS}
  mkdir ${CONTROL_GROUPS}/systemd ${CONTROL_GROUPS}/unified
  mount -t cgroup -o none,name=systemd cgroup ${CONTROL_GROUPS}/systemd
  mount -t cgroup2 cgroup2 ${CONTROL_GROUPS}/unified || rmdir ${CONTROL_GROUPS}/unified
fi`;

/**
 * Runs as the first process of a namespace. The program is bound below /run, because the unit hides /tmp. systemd sees only our units
 * and empty targets, so it starts and cleans up nothing of this machine. It can't change settings of the kernel, and writes its folders
 * and its log into memory.
 */
const BOOT = `
mount --make-rprivate /
mount -t proc proc /proc
mount -t tmpfs tmpfs /run
${MOUNT_GROUPS}
mkdir -p /run/taxiway/units
touch /run/taxiway/taxiway /run/taxiway/log
mount --bind "$1" /run/taxiway/taxiway
mount -t tmpfs tmpfs /tmp
mount -t tmpfs tmpfs /var/tmp
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
[ ! -e /dev/console ] || mount --bind /run/taxiway/log /dev/console
/run/taxiway/taxiway init /run/taxiway/server --port "$2" --systemd >&2
mv /run/taxiway/server/taxiway.service /run/taxiway/server/taxiway.socket /run/taxiway/units
for name in sysinit basic sockets network-online shutdown umount; do
  printf '[Unit]\\nDescription=%s\\n' $name > /run/taxiway/units/$name.target
done
printf '[Unit]\\nWants=taxiway.socket taxiway.service\\n' > /run/taxiway/units/try.target
export container=other SYSTEMD_UNIT_PATH=/run/taxiway/units SYSTEMD_GENERATOR_PATH=/nonexistent
exec ${SYSTEMD} --system --unit=try.target --log-target=console`;

/** All of it ends with the process that runs the test, however that ends. */
const UNSHARE = 'setpriv --pdeathsig KILL unshare --mount --pid --cgroup --ipc --uts --fork --kill-child';

/** Returns why systemd can't run here, or undefined if it can. */
export function whyNoSystemd(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'it requires root on Linux';
  const { stdout = '' } = spawnSync(SYSTEMD, ['--version'], { encoding: 'utf8' });
  const [, version = 0] = /^systemd (\d+)/.exec(stdout ?? '') ?? [];
  if (Number(version) < LEAST_VERSION) return `it requires systemd ${LEAST_VERSION} or later`;
  const script = `set -eu; ${ENTER_GROUP}\nexec ${UNSHARE} sh -c 'set -eu; mount --make-rprivate /; mount -t tmpfs tmpfs /run; ${MOUNT_GROUPS}'`;
  const { status } = spawnSync('sh', ['-c', script], { env: { PATH } });
  removeGroups();
  return status === 0 ? undefined : 'this system does not let us mount control groups';
}

/** Restarts the service several times, and kills its process, while requests arrive. */
export async function restartUnderSystemd(executable: string, folder: string): Promise<void> {
  const port = await findFreePort();
  const script = `set -eu; ${ENTER_GROUP}\nexec ${UNSHARE} sh -c "set -eu; $BOOT" sh "$1" "$2"`;
  const systemd = start('sh', ['-c', script, 'sh', executable, String(port)], folder, { PATH, BOOT });
  try {
    await tryRestarts(systemd, port, folder);
  } finally {
    systemd.child.kill('SIGKILL');
    await systemd.ended;
    // Its processes end a little later.
    await waitFor(removeGroups, 5_000, () => 'the control groups of systemd could not be removed');
  }
}

async function tryRestarts(systemd: Running, port: number, folder: string): Promise<void> {
  const systemctl = async (...words: string[]): Promise<string> => {
    const target = ['-t', String(firstChildOf(systemd)), '-m', '-p', '-C'];
    const { code, stdout, stderr } = await runOnce('nsenter', [...target, 'systemctl', ...words], folder, { PATH });
    expect(code === 0, `systemctl ${words.join(' ')} ended with ${code}: ${stderr}${logOf(systemd)}`);
    return stdout.trim();
  };
  const isReady = async () => (await request(port)) === 200;
  await waitFor(isReady, 15_000, () => `not ready within 15 s: ${logOf(systemd)}`);
  const mainProcess = () => systemctl('show', '--property=MainPID', '--value', 'taxiway.service');

  const load = startLoad(port);
  const processes = new Set([await mainProcess()]);
  for (let count = 0; count < RESTARTS; count += 1) {
    await systemctl('restart', 'taxiway.service');
    await load.reach(20);
    processes.add(await mainProcess());
  }
  const results = await load.stop();
  const failed = results.filter((result) => result !== 200);
  expect(processes.size === RESTARTS + 1, `the process was the same after a restart: ${[...processes].join(', ')}`);
  expect(
    failed.length === 0,
    `${failed.length} of ${results.length} requests failed: ${failed.slice(0, 3).join(', ')}`,
  );

  await systemctl('kill', '--signal=KILL', '--kill-whom=main', 'taxiway.service');
  // The port stays open, so the next request waits for the process that systemd starts after two seconds.
  const waited = await request(port);
  expect(waited === 200, `after the process was killed, a request ended with ${waited}`);
  expect(!processes.has(await mainProcess()), 'the process that was killed is still the main one');
}

/** Sends requests one after the other, each on a new connection, and some of them on a connection that is kept. */
function startLoad(port: number) {
  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  const results: (number | string)[] = [];
  let isOver = false;
  const send = async (agent?: Agent) => {
    while (!isOver) {
      results.push(await request(port, agent));
      await sleep(PAUSE_MS);
    }
  };
  const ended = Promise.all([send(), send(kept)]);
  return {
    /** Waits for more results. */
    async reach(more: number): Promise<void> {
      const count = results.length + more;
      await waitFor(
        () => results.length >= count,
        30_000,
        () => `only ${results.length} of ${count} requests ended within 30 s`,
      );
    },
    async stop(): Promise<(number | string)[]> {
      isOver = true;
      await ended;
      kept.destroy();
      return results;
    },
  };
}

/** Returns the status of a response, or why there is none. */
function request(port: number, agent?: Agent): Promise<number | string> {
  return new Promise((resolve) => {
    const options = { host: '127.0.0.1', port, path: '/health/ready', agent: agent ?? false, timeout: 20_000 };
    const sent = get(options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', (error) => resolve(error.message));
    });
    sent.on('error', (error) => {
      // Node.js reports a connection that the server closed while it was idle as an error of the next request, which browsers repeat.
      if (sent.reusedSocket) resolve(request(port, agent));
      else resolve(error.message);
    });
    sent.on('timeout', () => sent.destroy(new Error('no response within 20 s')));
  });
}

/** What the start printed, and the end of systemd's own log. */
function logOf(systemd: Running): string {
  try {
    const log = readFileSync(`/proc/${firstChildOf(systemd)}/root/run/taxiway/log`, 'utf8');
    return `${systemd.stderr()}${log.slice(-2_000)}`;
  } catch {
    return systemd.stderr();
  }
}

/** The process of systemd, which a process outside sees as the child of `unshare`. */
function firstChildOf({ child: { pid } }: Running): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
}

/** Removes the control groups of this process, and of others that have ended, from the innermost. Returns whether ours are gone. */
function removeGroups(): boolean {
  let isDone = true;
  const remove = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory()) remove(join(folder, entry.name));
    rmdirSync(folder);
  };
  for (const tree of ['systemd', 'unified', '.']) {
    const folder = join(CONTROL_GROUPS, tree);
    if (!existsSync(join(folder, 'cgroup.procs'))) continue;
    for (const name of readdirSync(folder).filter((one) => one === GROUP || isLeft(one))) {
      try {
        remove(join(folder, name));
      } catch {
        if (name === GROUP) isDone = false;
      }
    }
  }
  return isDone;
}

/** Whether a group is one of a test whose process has ended. */
const isLeft = (name: string): boolean =>
  name.startsWith(GROUP_PREFIX) && !existsSync(`/proc/${name.slice(GROUP_PREFIX.length)}`);
