// A data folder with an account, an organization and projects, and a server process for it.

import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findFreePort } from '../scripts/lib/ports.ts';
import { openApp } from '../src/app.ts';
import { configFrom } from '../src/config.ts';
import type { App } from '../src/core/context.ts';
import { developers, organizationMemberships, organizations, projects, sessions } from '../src/data/tables/tables.ts';
import { passwordsOf } from '../src/developers/password.ts';
import { DAY } from '../src/lib/clock.ts';
import { type ServerProcess, startServer } from './processes.ts';

export interface ServerFixtureOptions {
  /** Additional lines of config.toml, by table. */
  config?: Record<string, Record<string, string | number | boolean>>;
  logLevel?: string;
  /** The bundle to start; that of the project by default. */
  program?: string;
  /** Log file; server.log in the folder by default. */
  logFile?: string;
  /** URL of the service for clients behind a proxy. */
  baseUrl?: string;
  /** Arguments for Node itself, and further environment of the server. */
  nodeArgs?: readonly string[];
  env?: Record<string, string>;
  /** Adds rows before the server starts. */
  seed?: (app: App, fixture: SeededIds) => void | Promise<void>;
}

export interface SeededIds {
  developerId: string;
  organizationId: string;
  androidProjectId: string;
  iosProjectId: string;
}

export interface ServerFixture extends SeededIds, ServerProcess {
  /** An access token of the administrator, valid for ten minutes. */
  token: string;
  objectsFolder: string;
  /** Starts a new process with the same folder and URL; the previous one must have stopped. */
  startAgain(): Promise<ServerProcess>;
}

export const EMAIL = 'bench@example.test';
export const PASSWORD = 'correct horse battery staple';

/** The command that starts the program: the bundle, with the current Node.js. */
export const programFile = join(import.meta.dirname, '../dist/taxiway.cjs');

/** Creates a fixture in `folder` and starts a server process for it. */
export async function startServerFixture(folder: string, options: ServerFixtureOptions = {}): Promise<ServerFixture> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const baseUrl = options.baseUrl ?? url;
  await mkdir(folder, { recursive: true });
  const { token, ...seeded } = await seedDatabase(folder, baseUrl, options);
  const configFile = writeConfig(folder, port, baseUrl, options);
  const startAgain = () =>
    startServer({
      command: process.execPath,
      args: [...(options.nodeArgs ?? []), options.program ?? programFile, 'serve', '--config', configFile],
      ...(options.env === undefined ? {} : { env: options.env }),
      url,
      readyPath: '/health/live',
      logFile: options.logFile ?? join(folder, 'server.log'),
    });
  return { ...seeded, ...(await startAgain()), token, objectsFolder: join(folder, 'blobs/objects'), startAgain };
}

/** Raises limits that would stop a benchmark; disables nothing. */
export function writeConfig(folder: string, port: number, baseUrl: string, options: ServerFixtureOptions = {}): string {
  const rate = '{ requests = 1000000000, per_seconds = 60 }';
  const tables: Record<string, Record<string, string | number | boolean>> = {
    ...options.config,
    server: { host: '127.0.0.1', port, base_url: baseUrl, data_dir: folder, ...options.config?.server },
    limits: { pending_uploads_per_project: 1000, ...options.config?.limits },
    log: { level: options.logLevel ?? 'info' },
  };
  const lines = Object.entries(tables).flatMap(([table, values]) => [
    `[${table}]`,
    ...Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
  ]);
  const rates = ['sign_in', 'token_exchange', 'api', 'public', 'sdk'].map((name) => `${name} = ${rate}`);
  const file = join(folder, 'config.toml');
  writeFileSync(file, `${[...lines, '[rate_limits]', ...rates].join('\n')}\n`);
  return file;
}

async function seedDatabase(
  folder: string,
  baseUrl: string,
  { seed }: ServerFixtureOptions,
): Promise<SeededIds & { token: string }> {
  const { app, close } = await openApp(
    configFrom({ server: { data_dir: folder, base_url: baseUrl }, log: { level: 'silent' } }),
  );
  try {
    const now = app.clock.now().getTime();
    const ids = { developerId: app.ids.next(), organizationId: app.ids.next() };
    const projectIds = { androidProjectId: app.ids.next(), iosProjectId: app.ids.next() };
    const sessionId = app.ids.next();
    const { developerId, organizationId } = ids;
    const passwordHash = await passwordsOf(app).hash(PASSWORD);
    const account = { id: developerId, email: EMAIL, displayName: 'Bench', passwordHash, emailVerifiedAt: now };
    const { db } = app;
    db.insert(developers)
      .values({ ...account, createdAt: now })
      .run();
    db.insert(sessions)
      .values({ id: sessionId, developerId, createdAt: now, lastUsedAt: now, expiresAt: now + 30 * DAY })
      .run();
    db.insert(organizations).values({ id: organizationId, name: 'Bench', tier: 'business', createdAt: now }).run();
    db.insert(organizationMemberships).values({ organizationId, developerId, role: 'admin', createdAt: now }).run();
    const project = { organizationId, name: 'Bench', createdAt: now };
    db.insert(projects)
      .values([
        { ...project, id: projectIds.androidProjectId, platform: 'android' },
        { ...project, id: projectIds.iosProjectId, platform: 'ios' },
      ])
      .run();
    const seeded = { ...ids, ...projectIds };
    await seed?.(app, seeded);
    return { ...seeded, token: await app.accessTokens.issue({ developerId, email: EMAIL, sessionId }) };
  } finally {
    await close();
  }
}
