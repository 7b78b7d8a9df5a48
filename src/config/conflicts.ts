// Values that are valid alone but can't be used together.
import { isIP } from 'node:net';
import { dirname, resolve } from 'node:path';
import { areNested } from '../lib/folders.ts';
import { findReservedSegment } from './reserved-segments.ts';
import type { Config } from './types.ts';

type Conflict = { path: string[]; text: string };

/** Returns keys with conflicting values and the expected value. `isAddressSet`: base_url was set explicitly. */
export function findConflicts(config: Config, isAddressSet: boolean): Conflict[] {
  return [
    ...checkPath(config),
    ...checkDatabase(config),
    ...checkTls(config, isAddressSet),
    ...checkBilling(config),
    ...checkProfile(config),
    ...checkReplication(config),
    ...checkExecutables(config),
    ...checkBackupFolder(config),
  ];
}

/** Proxies may strip the path of base_url, so a request's first segment must show whether one did. */
function checkPath({ server }: Config): Conflict[] {
  const own = findReservedSegment(server.base_url);
  if (own === undefined) return [];
  const text = `expected a path that doesn't start with /${own}, which the server uses itself`;
  return [{ path: ['server', 'base_url'], text }];
}

/**
 * The lock of the database would be that of backups or drills, which couldn't run beside the server, or its content would be taken for
 * the secret key.
 */
function checkDatabase({ server, database }: Config): Conflict[] {
  const file = resolve(server.data_dir, database.file);
  if (file === resolve(server.data_dir, 'secret.key') && server.secret_key === '') {
    const text = 'expected another name than "secret.key", which is the file of the secret key';
    return [{ path: ['database', 'file'], text }];
  }
  const taken = ['backup', '.drill'].find((name) => file === resolve(server.data_dir, name));
  if (taken === undefined) return [];
  const text = `expected another name than "${taken}", because ${taken}.lock is the lock of ${taken === 'backup' ? 'backups' : 'drills'}`;
  return [{ path: ['database', 'file'], text }];
}

function checkTls({ server }: Config, isAddressSet: boolean): Conflict[] {
  const { tls } = server;
  if (tls.mode === 'off') return [];
  const found: Conflict[] = [];
  const refuse = (key: string, expected: string) =>
    found.push({
      path: ['server', ...key.split('.')],
      text: `expected ${expected}, because server.tls.mode is "${tls.mode}"`,
    });
  if (isAddressSet && !server.base_url.startsWith('https:')) refuse('base_url', 'an https address');
  if (tls.http_port !== 0 && tls.http_port === server.port) refuse('tls.http_port', 'another port than server.port');
  if (tls.mode === 'files') {
    if (tls.cert_file === '') refuse('tls.cert_file', 'the file of the certificate');
    if (tls.key_file === '') refuse('tls.key_file', 'the file of its private key');
  }
  if (tls.mode === 'acme') {
    if (tls.acme_directory === '') refuse('tls.acme_directory', 'the address of the directory of an authority');
    if (tls.acme_domains.length === 0) refuse('tls.acme_domains', 'at least one host name');
    const address = tls.acme_domains.find((name) => isIP(name) !== 0);
    if (address !== undefined) refuse('tls.acme_domains', `host names instead of ${address}`);
  }
  return found;
}

function checkBilling({ billing }: Config): Conflict[] {
  const found: Conflict[] = [];
  const needed = { api_key: "the key for Paddle's API", webhook_secret: 'the secret of the notification destination' };
  for (const [key, expected] of Object.entries(needed)) {
    if (billing.provider !== 'paddle' || billing.paddle[key as keyof typeof needed] !== '') continue;
    found.push({
      path: ['billing', 'paddle', key],
      text: `expected ${expected}, because billing.provider is "paddle"`,
    });
  }
  if (billing.topup_max_cents < billing.topup_min_cents) {
    found.push({ path: ['billing', 'topup_max_cents'], text: 'expected at least billing.topup_min_cents' });
  }
  return found;
}

function checkProfile({ apple_profile: profile }: Config): Conflict[] {
  const found: Conflict[] = [];
  const expect = (key: keyof typeof profile, of: keyof typeof profile, what: string) => {
    if (profile[of] === '' || profile[key] !== '') return;
    found.push({ path: ['apple_profile', key], text: `expected ${what}, because apple_profile.${of} is given` });
  };
  expect('key_file', 'cert_file', 'the file of the private key');
  expect('cert_file', 'key_file', 'the file of the certificate');
  if (profile.key_file === '') expect('cert_file', 'chain_file', 'the file of the certificate');
  return found;
}

/** Litestream holds the write lock while it shortens the write-ahead log, so statements wait for it. */
const REPLICATION_BUSY_TIMEOUT_MS = 5000;

function checkReplication({ database, replication }: Config): Conflict[] {
  if (replication.target === '' || database.busy_timeout_ms >= REPLICATION_BUSY_TIMEOUT_MS) return [];
  const text = `expected at least ${REPLICATION_BUSY_TIMEOUT_MS}, because replication.target is given`;
  return [{ path: ['database', 'busy_timeout_ms'], text }];
}

/** The names of the database and its copies begin like those of executables, which everyone can download. */
function checkExecutables({ server, database, backup, cli }: Config): Conflict[] {
  const inData = (path: string): string => resolve(server.data_dir, path);
  const privateFolders = [
    { what: 'the database', folder: dirname(inData(database.file)) },
    ...(backup.directory.endsWith('.backup') ? [{ what: 'backups', folder: dirname(inData(backup.directory)) }] : []),
  ];
  const taken = privateFolders.find(({ folder }) => folder === inData(cli.executables));
  if (taken === undefined) return [];
  const text = `expected another folder than that of ${taken.what}, because everyone can download files of it`;
  return [{ path: ['cli', 'executables'], text }];
}

/** Every scheduled backup would fail: the cleanup of one would delete files of the other. */
function checkBackupFolder({ server, backup, storage }: Config): Conflict[] {
  const { schedule, directory } = backup;
  if (schedule === '' || directory.startsWith('s3://') || directory.endsWith('.backup')) return [];
  const [folder, packages] = [directory, storage.local.directory].map((path) => resolve(server.data_dir, path));
  if (folder === undefined || packages === undefined || !areNested(folder, packages)) return [];
  const text = "expected a folder neither in nor around storage.local.directory, which has the server's packages";
  return [{ path: ['backup', 'directory'], text }];
}
