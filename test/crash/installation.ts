// A data folder for crash tests: workers with a project each, and repeated runs of the server.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { findFreePort } from '../../scripts/lib/ports.ts';
import { placeDatabase } from '../support/migrated-database.ts';
import { type Client, connect } from './client.ts';
import { type Program, type Running, type RunOptions, runProgram } from './program.ts';
import type { Random } from './random.ts';
import { type Account, createWorker, signIn, type Worker } from './worker.ts';

export interface ServerRun {
  running: Running;
  client: Client;
}

export interface Installation extends Disposable {
  folder: string;
  /** The folder of the configured storage. */
  blobs: string;
  env: Record<string, string>;
  /** Starts the server. Resolves when it listens. */
  start(options?: RunOptions): Promise<ServerRun>;
}

/**
 * Creates an empty folder and chooses a port, which stays the same, so that links and access tokens remain valid after
 * a restart. With `isMigrated`, it has a database, so that its first start isn't spent on creating one.
 */
export async function createInstallation(program: Program, { isMigrated = false } = {}): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'taxiway-crash-'));
  if (isMigrated) placeDatabase(join(folder, 'data'));
  const port = await findFreePort();
  const base = `http://127.0.0.1:${port}`;
  const serverRuns: Running[] = [];
  const env = { TAXIWAY_SERVER__PORT: String(port), TAXIWAY_SERVER__BASE_URL: base };
  return {
    folder,
    blobs: join(folder, 'data', 'blobs'),
    env,
    async start(options = {}) {
      const running = runProgram(program, folder, ['serve'], { ...options, env: { ...env, ...options.env } });
      serverRuns.push(running);
      return { running, client: connect(await running.ready()) };
    },
    [Symbol.dispose]() {
      for (const { child } of serverRuns) child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Ends the leases of jobs that a killed server was running, for which the next one would wait a minute. No server may be running. */
export function endLeases({ folder }: Installation): void {
  const database = new Sqlite(join(folder, 'data', 'taxiway.db'));
  database.prepare('UPDATE jobs SET leased_until = 0 WHERE leased_until IS NOT NULL').run();
  database.close();
}

/** Stops a server, which must end without an error, and its client. */
export async function stopGently({ running, client }: ServerRun): Promise<void> {
  running.child.kill('SIGTERM');
  const { code, signal } = await running.ended;
  if (code !== 0) throw new Error(`The server ended with ${code ?? signal}`);
  client.close();
}

/** Creates the admin through the printed link, and a project with two channels for each worker. */
export async function createWorkers({ running, client }: ServerRun, count: number, random: Random): Promise<Worker[]> {
  const account: Account = { email: 'admin@example.com', password: 'a password of the crash test' };
  const link = await findSetupLink(running);
  const setup = { ...account, display_name: 'Administrator', organization_name: 'CrashFixture' };
  const { organization_id: organizationId } = await post(client, new URL(link).pathname, setup);
  const workers: Worker[] = [];
  for (let number = 1; number <= count; number += 1) {
    const session = await signIn(client, account);
    const send = (path: string, json: unknown) => post(client, path, json, session.accessToken);
    const inOrganization = `organization_id=${organizationId}`;
    const project = await send(`/api/v1/projects?${inOrganization}`, {
      name: `Project ${number}`,
      platform: 'android',
    });
    const channels = `/api/v1/channels?${inOrganization}&project_id=${project.identifier}`;
    const auto = await send(channels, { name: 'auto', auto_distribute: true });
    const manual = await send(channels, { name: 'manual' });
    const place = {
      organizationId: String(organizationId),
      projectId: String(project.identifier),
      autoChannelId: String(auto.identifier),
      manualChannelId: String(manual.identifier),
    };
    workers.push(createWorker(random.fork(), account, place, session));
  }
  return workers;
}

async function findSetupLink({ output }: Running): Promise<string> {
  for (let tries = 0; tries < 200; tries += 1) {
    const link = /^(http\S+\/setup\/\S+)$/m.exec(output.stdout)?.[1];
    if (link !== undefined) return link;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`no setup link: ${output.stdout}`);
}

async function post(client: Client, path: string, json: unknown, token?: string): Promise<Record<string, unknown>> {
  const answer = await client.ask('POST', path, { json, token });
  if (answer.status >= 300) throw new Error(`POST ${path.split('?')[0]} answered ${answer.status} ${answer.bytes}`);
  return answer.body;
}
