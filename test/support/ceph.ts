// Starts a real S3 service, Ceph's gateway on a store in memory, in a folder of its own. Keys: TESTKEY, TESTSECRET.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../../scripts/lib/ports.ts';
import { type SharedService, shareService } from './shared-service.ts';

const run = promisify(execFile);

const PROGRAMS = ['monmaptool', 'ceph-mon', 'ceph-osd', 'ceph', 'radosgw', 'radosgw-admin'];
/** A start takes about three seconds. A few of hundreds fail. */
const ATTEMPTS = 3;
/** An attempt that hangs does so at a single step, so three of them take 40 s, and the hooks that wait fail with the reason. */
const STEP_MS = 10_000;
const PATIENCE_MS = 50_000;
/** The folder in which the processes of a test run find the service that they share. */
export const CEPH_FOLDER_VARIABLE = 'TAXIWAY_TEST_CEPH';

export const CEPH_KEYS = { accessKeyId: 'TESTKEY', secretAccessKey: 'TESTSECRET' } as const;

/** Why it cannot be started here, or undefined when it can. */
export function whyNoCeph(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const missing = PROGRAMS.find((name) => !folders.some((folder) => existsSync(join(folder, name))));
  return missing === undefined ? undefined : `${missing} is not installed`;
}

export interface Ceph {
  url: string;
  port: number;
  stop(): Promise<void>;
}

function configuration(folder: string, ports: { monitor: number; gateway: number }): string {
  return `
[global]
fsid = ${randomUUID()}
mon host = v1:127.0.0.1:${ports.monitor}
mon initial members = a
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
# Changes of the map otherwise wait for the next round, a second each.
paxos propose interval = 0.05
paxos min wait = 0.01
mon allow pool size one = true
mon warn on pool no redundancy = false
osd crush chooseleaf type = 0
osd crush update on start = false
osd class update on start = false
osd objectstore = memstore
memstore device bytes = 4294967296
osd memory target = 939524096
run dir = ${folder}
admin socket = ${folder}/$name.asok
log file = ${folder}/$name.log
mon data = ${folder}/mon
osd data = ${folder}/osd
mon pg warn min per osd = 0
rgw dns name = localhost
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${ports.gateway} tcp_nodelay=1
`;
}

/**
 * Starts it on free ports, which takes about five seconds, or returns that of the test run, which
 * test/support/shared-services.ts stops. Tests use buckets of their own.
 */
export async function startCeph(): Promise<Ceph> {
  const shared = process.env[CEPH_FOLDER_VARIABLE];
  if (shared === undefined) return startOwnCeph();
  const start = async () => {
    const { url, port, processes, folder } = await startOwnCeph();
    // The test process must be able to end before it.
    for (const child of processes) child.unref();
    return { url, port, pids: processes.map((child) => child.pid), folder } satisfies SharedCeph;
  };
  const { url, port } = await shareService<SharedCeph>(shared, start, PATIENCE_MS);
  return { url, port, stop: async () => undefined };
}

interface SharedCeph extends SharedService {
  url: string;
  port: number;
}

type OwnCeph = Ceph & { processes: ChildProcess[]; folder: string };

/** Its processes sometimes end or hang at the start, so another attempt begins with an empty folder and other ports. */
async function startOwnCeph(): Promise<OwnCeph> {
  const failures: string[] = [];
  while (failures.length < ATTEMPTS) {
    try {
      return await tryToStart();
    } catch (error) {
      failures.push(String(error));
      process.stderr.write(`Ceph did not start: ${String(error)}\n`);
    }
  }
  throw new Error(`Ceph did not start in ${ATTEMPTS} attempts:\n${failures.join('\n')}`);
}

async function tryToStart(): Promise<OwnCeph> {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-ceph-'));
  for (const name of ['mon', 'osd']) mkdirSync(join(folder, name));
  const [monitor, gateway] = [await findFreePort(), await findFreePort()];
  const file = join(folder, 'ceph.conf');
  writeFileSync(file, configuration(folder, { monitor, gateway }));
  const fsid = /fsid = (\S+)/.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
  const common = ['-c', file];
  const children: ChildProcess[] = [];
  const start = (program: string, words: string[]): void => {
    const child = spawn(program, [...common, ...words, '-f'], { stdio: 'ignore' });
    child.on('error', () => undefined);
    children.push(child);
  };
  const stop = async (): Promise<void> => {
    const ended = children.filter(isRunning).map((child) => new Promise((done) => child.once('close', done)));
    for (const child of children) child.kill('SIGKILL');
    await Promise.all(ended);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const map = join(folder, 'monmap');
    const limits = { timeout: STEP_MS };
    await run('monmaptool', ['--create', '--fsid', fsid, '--addv', 'a', `[v1:127.0.0.1:${monitor}]`, map], limits);
    await run('ceph-mon', [...common, '--mkfs', '-i', 'a', '--monmap', map], limits);
    start('ceph-mon', ['-i', 'a']);
    const osd = randomUUID();
    await run('ceph', [...common, 'osd', 'create', osd], limits);
    // Placed by hand: one that places itself sometimes asks before it knows the cluster's id, and ends.
    await run('ceph', [...common, 'osd', 'crush', 'add', 'osd.0', '1.0', 'root=default', 'host=localhost'], limits);
    await run('ceph-osd', [...common, '-i', '0', '--mkfs', '--osd-uuid', osd], limits);
    start('ceph-osd', ['-i', '0']);
    const keys = [`--access-key=${CEPH_KEYS.accessKeyId}`, `--secret-key=${CEPH_KEYS.secretAccessKey}`];
    await run('radosgw-admin', [...common, 'user', 'create', '--uid=test', '--display-name=test', ...keys], limits);
    start('radosgw', ['-n', 'client.rgw']);
    const url = `http://127.0.0.1:${gateway}`;
    await waitFor(url, children);
    return { url, port: gateway, stop, processes: children, folder };
  } catch (error) {
    const ended = children.filter((child) => !isRunning(child)).map((child) => child.spawnfile);
    try {
      const words = `${String(error)} (ended: ${ended.join(', ') || 'none'})\n${describeLogs(folder)}`;
      throw new Error(words, { cause: error });
    } finally {
      await stop();
    }
  }
}

/** Returns the last lines of every log, which say why a process ended. */
function describeLogs(folder: string): string {
  const logs = readdirSync(folder).filter((name) => name.endsWith('.log'));
  return logs.map((name) => `${name}: ${readFileSync(join(folder, name), 'utf8').slice(-1_000)}`).join('\n');
}

const isRunning = (child: ChildProcess): boolean => child.exitCode === null && child.signalCode === null;

async function waitFor(url: string, children: readonly ChildProcess[]): Promise<void> {
  const end = performance.now() + STEP_MS;
  while (performance.now() < end) {
    if (!children.every(isRunning)) throw new Error('a process of Ceph ended');
    const answer = await fetch(url, { signal: AbortSignal.timeout(1_000) }).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`the gateway did not answer within ${STEP_MS / 1000} s`);
}
