// The subcommands of taxiway. Each file is loaded only when its command is called.
import type { Command } from 'commander';
import type { CommandHost } from './host.ts';

export interface CatalogEntry {
  readonly name: string;
  readonly summary: string;
  build(host: CommandHost): Promise<Command>;
}

export const CATALOG: readonly CatalogEntry[] = [
  {
    name: 'login',
    summary: 'sign in to a server and keep the session',
    build: async (host) => (await import('./login.ts')).buildLoginCommand(host),
  },
  {
    name: 'upload',
    summary: 'upload an .ipa or .apk, and release it when a channel is given',
    build: async (host) => (await import('./upload.ts')).buildUploadCommand(host),
  },
  {
    name: 'release',
    summary: 'release a build onto a channel',
    build: async (host) => (await import('./release.ts')).buildReleaseCommand(host),
  },
  {
    name: 'builds',
    summary: 'list the builds of a project',
    build: async (host) => (await import('./builds.ts')).buildBuildsCommand(host),
  },
];
