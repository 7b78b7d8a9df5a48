// The subcommands of taxiway. Each file is loaded only when its command is called.
import type { Command } from 'commander';
import { QUICK_CHECK_COMMAND } from '../lib/process.ts';
import type { CommandName } from '../lib/program-name.ts';
import type { CommandHost } from './host.ts';

/** What a server runs in another process. It's no command for people, so help doesn't list it. */
export const HIDDEN: readonly CatalogEntry[] = [
  {
    name: QUICK_CHECK_COMMAND,
    summary: 'check a database file',
    build: async (host) => (await import('./quick-check.ts')).buildQuickCheckCommand(host),
  },
];

export interface CatalogEntry {
  readonly name: CommandName | typeof QUICK_CHECK_COMMAND;
  readonly summary: string;
  build(host: CommandHost): Promise<Command>;
}

export const CATALOG: readonly CatalogEntry[] = [
  {
    name: 'serve',
    summary: 'start the server',
    build: async (host) => (await import('./serve.ts')).buildServeCommand(host),
  },
  {
    name: 'setup-link',
    summary: 'print a link that creates the first administrator',
    build: async (host) => (await import('./setup-link.ts')).buildSetupLinkCommand(host),
  },
  {
    name: 'init',
    summary: 'write a configuration with fresh secrets',
    build: async (host) => (await import('./init.ts')).buildInitCommand(host),
  },
  {
    name: 'check',
    summary: 'judge configuration, database, storage and what phones need',
    build: async (host) => (await import('./check.ts')).buildCheckCommand(host),
  },
  {
    name: 'migrate',
    summary: 'bring the database up to this program',
    build: async (host) => (await import('./migrate.ts')).buildMigrateCommand(host),
  },
  {
    name: 'sweep',
    summary: 'run one clean-up now, or list them',
    build: async (host) => (await import('./sweep.ts')).buildSweepCommand(host),
  },
  {
    name: 'developer',
    summary: 'create, list and look after accounts',
    build: async (host) => (await import('./developer.ts')).buildDeveloperCommand(host),
  },
  {
    name: 'organization',
    summary: "the operator's side of organizations",
    build: async (host) => (await import('./organization.ts')).buildOrganizationCommand(host),
  },
  {
    name: 'sso-domain',
    summary: 'verify domains of single sign-on',
    build: async (host) => (await import('./sso-domain.ts')).buildSsoDomainCommand(host),
  },
  {
    name: 'flag',
    summary: 'read and set feature flags',
    build: async (host) => (await import('./flag.ts')).buildFlagCommand(host),
  },
  {
    name: 'mail',
    summary: 'look at the mails of the last month',
    build: async (host) => (await import('./mail.ts')).buildMailCommand(host),
  },
  {
    name: 'audit',
    summary: 'export what happened in an organization',
    build: async (host) => (await import('./audit.ts')).buildAuditCommand(host),
  },
  {
    name: 'verify',
    summary: 'check the audit trail and stored packages for changes',
    build: async (host) => (await import('./verify.ts')).buildVerifyCommand(host),
  },
  {
    name: 'openapi',
    summary: 'print the description of the API',
    build: async (host) => (await import('./openapi.ts')).buildOpenapiCommand(host),
  },
  {
    name: 'version',
    summary: 'print which program this is',
    build: async (host) => (await import('./version.ts')).buildVersionCommand(host),
  },
  {
    name: 'login',
    summary: 'sign in to a server and keep the session',
    build: async (host) => (await import('./login.ts')).buildLoginCommand(host),
  },
  {
    name: 'logout',
    summary: 'end the kept session',
    build: async (host) => (await import('./logout.ts')).buildLogoutCommand(host),
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
