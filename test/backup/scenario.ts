// An installation with a build, a place for its backups, and an empty installation to restore them into.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { findBuild } from '../../src/builds/store.ts';
import type { Config } from '../../src/config.ts';
import { type Build, type BuildScenario, startBuildScenario, uploadAnswer } from '../builds/scenario.ts';
import { openWorkshop, type Workshop } from '../commands/test-host.ts';
import { buildApk } from '../support/fixtures.ts';

export interface BackupScenario extends BuildScenario {
  build: Build;
  /** The build's package. */
  bytes: Buffer;
  /** The package's object key. */
  key: string;
  /** Runs commands for the installation. */
  workshop: Workshop;
  /** Where its backups are: a folder, unless a test names another place. */
  place: string;
  /** Creates a backup and returns the command's JSON. */
  backUp(...words: string[]): Promise<ReturnType<typeof JSON.parse>>;
  /** Returns the files in the place that have contents of packages. */
  contentsOf(): string[];
  /** Runs a command for the empty installation. */
  elsewhere(words: string[], env?: Record<string, string>): ReturnType<Workshop['run']>;
  /** The configuration of what runs elsewhere(). */
  restoredConfig(): Config;
}

const bytes = buildApk();

export async function startBackupScenario(): Promise<BackupScenario> {
  const scenario = await startBuildScenario();
  const { config, app } = scenario.fixture;
  const workshop = openWorkshop({ TAXIWAY_SERVER__DATA_DIR: config.server.data_dir, TAXIWAY_LOG__LEVEL: 'silent' });
  const build = await uploadAnswer(scenario.ci, scenario.android, bytes);
  const restored = join(workshop.folder, 'restored');
  const whole: BackupScenario = {
    ...scenario,
    build,
    bytes,
    key: findBuild(app, build.identifier)?.objectKey ?? '',
    workshop,
    place: join(workshop.folder, 'backups'),
    async backUp(...words) {
      const { code, stdout, stderr } = await workshop.run(['backup', whole.place, '--json', ...words]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return JSON.parse(stdout);
    },
    contentsOf() {
      const folder = join(whole.place, 'objects/contents');
      return existsSync(folder) ? listFiles(folder) : [];
    },
    elsewhere: (words, env = {}) =>
      workshop.run(words, {
        env: {
          TAXIWAY_SERVER__DATA_DIR: restored,
          TAXIWAY_LOG__LEVEL: 'silent',
          XDG_CONFIG_HOME: workshop.folder,
          ...env,
        },
      }),
    restoredConfig: () => ({
      ...config,
      server: { ...config.server, data_dir: restored },
      database: { ...config.database, file: join(restored, 'taxiway.db') },
      storage: { ...config.storage, local: { ...config.storage.local, directory: join(restored, 'blobs') } },
    }),
    async [Symbol.asyncDispose]() {
      workshop[Symbol.dispose]();
      await scenario[Symbol.asyncDispose]();
    },
  };
  return whole;
}

/** Returns the paths of the files in a folder, sorted. */
export const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .toSorted();
