// The subcommands of taxiway. Each file is loaded only when its command is called.
import { QUICK_CHECK_COMMAND, RUN_BACKUP_COMMAND } from '../lib/process.ts';
import { type CatalogEntry, CLIENT_CATALOG, VERSION_ENTRY } from './client-catalog.ts';

/** Commands that a server runs in another process. Internal, so the help doesn't list them. */
export const HIDDEN: readonly CatalogEntry[] = [
  {
    name: QUICK_CHECK_COMMAND,
    summary: 'check a database file',
    build: async (host) => (await import('./quick-check.ts')).buildQuickCheckCommand(host),
  },
  {
    name: RUN_BACKUP_COMMAND,
    summary: 'create a backup',
    build: async (host) => (await import('./backup.ts')).buildRunBackupCommand(host),
  },
];

export const CATALOG: readonly CatalogEntry[] = [
  {
    name: 'serve',
    summary: 'start the server',
    build: async (host) => (await import('./serve.ts')).buildServeCommand(host),
  },
  {
    name: 'setup-link',
    summary: 'print a link to create the first admin account',
    build: async (host) => (await import('./setup-link.ts')).buildSetupLinkCommand(host),
  },
  {
    name: 'init',
    summary: 'create a configuration file with new secrets',
    build: async (host) => (await import('./init.ts')).buildInitCommand(host),
  },
  {
    name: 'check',
    summary: 'check the configuration, database, storage and reachability',
    build: async (host) => (await import('./check.ts')).buildCheckCommand(host),
  },
  {
    name: 'health',
    summary: 'ask the running server whether it is ready',
    build: async (host) => (await import('./health.ts')).buildHealthCommand(host),
  },
  {
    name: 'migrate',
    summary: 'apply database migrations',
    build: async (host) => (await import('./migrate.ts')).buildMigrateCommand(host),
  },
  {
    name: 'backup',
    summary: 'create, list and try backups',
    build: async (host) => (await import('./backup.ts')).buildBackupCommand(host),
  },
  {
    name: 'restore',
    summary: 'restore a backup or a replica',
    build: async (host) => (await import('./backup.ts')).buildRestoreCommand(host),
  },
  {
    name: 'replication',
    summary: 'set up continuous replication of the database',
    build: async (host) => (await import('./replication.ts')).buildReplicationCommand(host),
  },
  {
    name: 'secret-key',
    summary: 'replace the secret key',
    build: async (host) => (await import('./secret-key.ts')).buildSecretKeyCommand(host),
  },
  {
    name: 'sweep',
    summary: 'run a cleanup job, or list all jobs',
    build: async (host) => (await import('./sweep.ts')).buildSweepCommand(host),
  },
  {
    name: 'developer',
    summary: 'create, list and manage accounts',
    build: async (host) => (await import('./developer.ts')).buildDeveloperCommand(host),
  },
  {
    name: 'organization',
    summary: 'manage organizations',
    build: async (host) => (await import('./organization.ts')).buildOrganizationCommand(host),
  },
  {
    name: 'sso-domain',
    summary: 'verify single sign-on domains',
    build: async (host) => (await import('./sso-domain.ts')).buildSsoDomainCommand(host),
  },
  {
    name: 'storage',
    summary: 'move and verify stored objects',
    build: async (host) => (await import('./storage.ts')).buildStorageCommand(host),
  },
  {
    name: 'storage-request',
    summary: 'decide on own containers of organizations',
    build: async (host) => (await import('./storage-request.ts')).buildStorageRequestCommand(host),
  },
  {
    name: 'flag',
    summary: 'show and set feature flags',
    build: async (host) => (await import('./flag.ts')).buildFlagCommand(host),
  },
  {
    name: 'mail',
    summary: 'show emails of the last month, and send failed ones again',
    build: async (host) => (await import('./mail.ts')).buildMailCommand(host),
  },
  {
    name: 'audit',
    summary: 'export the audit trail of an organization',
    build: async (host) => (await import('./audit.ts')).buildAuditCommand(host),
  },
  {
    name: 'verify',
    summary: 'check the audit trail and stored packages for changes',
    build: async (host) => (await import('./verify.ts')).buildVerifyCommand(host),
  },
  {
    name: 'support-bundle',
    summary: 'write a file with the facts for a bug report',
    build: async (host) => (await import('./support-bundle.ts')).buildSupportBundleCommand(host),
  },
  {
    name: 'openapi',
    summary: 'print the OpenAPI document',
    build: async (host) => (await import('./openapi.ts')).buildOpenapiCommand(host),
  },
  {
    name: 'completion',
    summary: 'print a completion script for a shell',
    build: async (host) => (await import('./completion.ts')).buildCompletionCommand(host, CATALOG),
  },
  VERSION_ENTRY,
  ...CLIENT_CATALOG,
];
