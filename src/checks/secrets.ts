// Checks of what must stay private: the key that everything is signed and encrypted with, and the files it lies in.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import type { Config } from '../config.ts';
import { describeFailure } from '../lib/failure.ts';
import { createSecrets, loadMasterKey } from '../runtime/secrets.ts';
import { openSealedKey } from '../runtime/signing-keys.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const OTHERS = 0o077;

/**
 * Says whether the key is there, opens what the database holds, and is read by its owner only. `configFile` is undefined
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
    return tryKey(config, client) ?? (isWritten ? judgeMode(configFile, 'configured') : ok('secret key', 'configured'));
  }
  const keyFile = join(config.server.data_dir, 'secret.key');
  if (statSync(keyFile, { throwIfNoEntry: false }) !== undefined) {
    return tryKey(config, client) ?? judgeMode(keyFile, keyFile);
  }
  if (client === undefined || !holdsSealedKeys(client))
    return ok('secret key', `${keyFile} is made at the first start`);
  return fail(
    'secret key',
    `${keyFile} is missing, and without it the database cannot be used; restore it from a backup`,
  );
}

/** What keeps the key from opening what the database holds; undefined when it opens it, or there is nothing to open. */
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

function judgeMode(file: string, detail: string): Finding {
  const isOpen = process.platform !== 'win32' && (statSync(file).mode & OTHERS) !== 0;
  return isOpen
    ? warn('secret key', `other accounts of this machine can use ${file}: chmod 600 it`)
    : ok('secret key', detail);
}

function holdsSealedKeys(client: Sqlite.Database): boolean {
  const table = client.prepare("SELECT 1 FROM sqlite_master WHERE name = 'signing_keys'").get();
  return table !== undefined && client.prepare('SELECT 1 FROM signing_keys').get() !== undefined;
}
