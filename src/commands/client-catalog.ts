// The subcommands that connect to a server. The JavaScript client has only these.
import type { Command } from 'commander';
import type { QUICK_CHECK_COMMAND, RUN_BACKUP_COMMAND } from '../lib/process.ts';
import type { CommandName } from '../lib/program-name.ts';
import type { CommandHost } from './host.ts';

export interface CatalogEntry {
  readonly name: CommandName | typeof QUICK_CHECK_COMMAND | typeof RUN_BACKUP_COMMAND;
  readonly summary: string;
  build(host: CommandHost): Promise<Command>;
}

export const VERSION_ENTRY: CatalogEntry = {
  name: 'version',
  summary: 'print version information',
  build: async (host) => (await import('./version.ts')).buildVersionCommand(host),
};

export const CLIENT_CATALOG: readonly CatalogEntry[] = [
  {
    name: 'login',
    summary: 'sign in to a server',
    build: async (host) => (await import('./login.ts')).buildLoginCommand(host),
  },
  {
    name: 'logout',
    summary: 'sign out',
    build: async (host) => (await import('./logout.ts')).buildLogoutCommand(host),
  },
  {
    name: 'upload',
    summary: 'upload an .ipa or .apk, and optionally release it',
    build: async (host) => (await import('./upload.ts')).buildUploadCommand(host),
  },
  {
    name: 'release',
    summary: 'release a build to a channel',
    build: async (host) => (await import('./release.ts')).buildReleaseCommand(host),
  },
  {
    name: 'preview',
    summary: 'publish builds of pull requests',
    build: async (host) => (await import('./preview.ts')).buildPreviewCommand(host),
  },
  {
    name: 'builds',
    summary: 'list the builds of a project',
    build: async (host) => (await import('./builds.ts')).buildBuildsCommand(host),
  },
  {
    name: 'device',
    summary: 'list devices, and register them with Apple',
    build: async (host) => (await import('./device.ts')).buildDeviceCommand(host),
  },
  {
    name: 'store',
    summary: 'list and validate connections to app stores',
    build: async (host) => (await import('./store.ts')).buildStoreCommand(host),
  },
];
