// Health checks of the secret key and the files it is stored in.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import type { Config } from '../config.ts';
import { hasTable } from '../data/has-table.ts';
import { describeFailure } from '../lib/failure.ts';
import { createSecrets, loadMasterKey } from '../runtime/secrets.ts';
import { openSealedKey } from '../runtime/signing-keys.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const OTHERS = 0o077;

/**
 * Checks that the key exists, decrypts the stored keys, and is readable only by its owner. `configFile` is undefined
 * when there is none.
 */
export function checkSecretKey(
  config: Config,
  configFile: string | undefined,
  client: Sqlite.Database | undefined,
): Finding {
  if (config.server.secret_key !== '') {
    const isWritten =
      configFile !== undefined && /^\s*(server\.)?secret_key\s*=\s*["']/m.test(readFileSync(configFile, 'utf8'));
    return tryKey(config, client) ?? (isWritten ? checkMode(configFile, 'configured') : ok('secret key', 'configured'));
  }
  const keyFile = join(config.server.data_dir, 'secret.key');
  if (statSync(keyFile, { throwIfNoEntry: false }) !== undefined) {
    return tryKey(config, client) ?? checkMode(keyFile, keyFile);
  }
  if (client === undefined || !holdsSealedKeys(client))
    return ok('secret key', `${keyFile} will be created at the first start`);
  return fail(
    'secret key',
    `${keyFile} is missing, and the database can't be used without it; restore it from a backup`,
  );
}

/** Returns a finding if the key can't decrypt the stored keys; undefined if it can, or if there are none. */
function tryKey({ server }: Config, client: Sqlite.Database | undefined): Finding | undefined {
  const secrets = createSecrets(loadMasterKey(server.secret_key, join(server.data_dir, 'secret.key')));
  if (client === undefined || !holdsSealedKeys(client)) return undefined;
  try {
    const sealed = client
      .prepare<[], string>('SELECT private_key_encrypted FROM signing_keys ORDER BY id DESC LIMIT 1')
      .pluck();
    openSealedKey(secrets, sealed.get() ?? '');
    return undefined;
  } catch (error) {
    return fail('secret key', describeFailure(error));
  }
}

function checkMode(file: string, detail: string): Finding {
  const isOpen = process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0;
  return isOpen
    ? warn('secret key', `other accounts of this machine can read ${file}: run chmod 600 on it`)
    : ok('secret key', detail);
}

function holdsSealedKeys(client: Sqlite.Database): boolean {
  return hasTable(client, 'signing_keys') && client.prepare('SELECT 1 FROM signing_keys').get() !== undefined;
}
