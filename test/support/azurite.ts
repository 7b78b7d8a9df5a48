// Starts Azurite, Azure's blob storage in one process with everything in memory, for storage tests. It accepts any token and has
// no Entra ID: test/support/azure-front.ts stands before it.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort } from '../../scripts/lib/ports.ts';
import { makeCertifiedKey } from '../../src/sso/certified-key.ts';
import { type SharedService, shareService } from './shared-service.ts';

/** The folder in which the processes of a test run find the service that they share. */
export const AZURITE_FOLDER_VARIABLE = 'TAXIWAY_TEST_AZURITE';
/** Where scripts/lib/azurite.ts installs it. */
export const azuriteDir = join(import.meta.dirname, '../../.cache/azurite');
export const AZURITE_ACCOUNT = 'taxiwaytest';

const program = join(azuriteDir, 'node_modules/azurite/dist/src/blob/main.js');
const PATIENCE_MS = 60_000;

/** Why it cannot be started here, or undefined when it can. */
export function whyNoAzurite(): string | undefined {
  return existsSync(program) ? undefined : 'Azurite is not installed';
}

export interface Azurite {
  /** Its certificate is self-signed. */
  port: number;
  stop(): Promise<void>;
}

/** Starts it on a free port, or returns that of the test run, which test/support/shared-services.ts stops. */
export async function startAzurite(): Promise<Azurite> {
  const shared = process.env[AZURITE_FOLDER_VARIABLE];
  if (shared === undefined) {
    const { port, child, folder } = await startOwnAzurite();
    const stop = async (): Promise<void> => {
      const ended = new Promise((done) => child.once('close', done));
      child.kill('SIGKILL');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    };
    return { port, stop };
  }
  const start = async () => {
    const { port, child, folder } = await startOwnAzurite();
    // The test process must be able to end before it.
    child.unref();
    return { port, pids: [child.pid], folder };
  };
  const { port } = await shareService<SharedService & { port: number }>(shared, start, PATIENCE_MS);
  return { port, stop: async () => undefined };
}

async function startOwnAzurite(): Promise<{ port: number; child: ChildProcess; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-azurite-'));
  const { certificate, privateKey } = await makeCertifiedKey(new Date());
  const [cert, key] = [join(folder, 'tls.crt'), join(folder, 'tls.key')];
  writeFileSync(cert, certificate);
  writeFileSync(key, privateKey, { mode: 0o600 });
  const port = await findFreePort();
  const words = [
    ...['--silent', '--inMemoryPersistence', '--disableTelemetry', '--skipApiVersionCheck', '--oauth', 'basic'],
    ...['--cert', cert, '--key', key, '--blobHost', '127.0.0.1', '--blobPort', String(port)],
  ];
  const env = { ...process.env, AZURITE_ACCOUNTS: `${AZURITE_ACCOUNT}:${Buffer.from('key').toString('base64')}` };
  const child = spawn(process.execPath, [program, ...words], { stdio: 'ignore', env, cwd: folder });
  child.on('error', () => undefined);
  try {
    await waitFor(port, child);
    return { port, child, folder };
  } catch (error) {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

async function waitFor(port: number, child: ChildProcess): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (performance.now() < end) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('Azurite ended');
    const status = await new Promise<number>((resolve) => {
      request(
        { host: '127.0.0.1', port, path: `/${AZURITE_ACCOUNT}?comp=list`, rejectUnauthorized: false },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode ?? 0);
        },
      )
        .on('error', () => resolve(0))
        .end();
    });
    if (status !== 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`Azurite did not start within ${PATIENCE_MS / 1000} s`);
}
