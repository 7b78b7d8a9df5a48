// taxiway secret-key rotate: replaces the secret key, and encrypts with the new one what the database has encrypted.
import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { backupLock } from '../backup/lock.ts';
import type { Config } from '../config.ts';
import type { App } from '../core/context.ts';
import { addonOf } from '../data/addon.ts';
import { countOf } from '../lib/count.ts';
import { syncFolderOf, writeAside } from '../lib/durable-file.ts';
import { describeFailure, Refusal, UsageError } from '../lib/failure.ts';
import { readGivenFile } from '../lib/given-file.ts';
import { giveToOwnerOf } from '../runtime/data-owner.ts';
import { acquireLocks } from '../runtime/lock.ts';
import type { ResealedValues } from '../runtime/sealed-columns.ts';
import {
  createSecrets,
  loadMasterKey,
  nextKeyFileOf,
  readMasterKey,
  type Secrets,
  writeMasterKey,
} from '../runtime/secrets.ts';
import { canOpenSealedKeys } from '../runtime/signing-keys.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import type { CommandHost } from './host.ts';
import { explainFailure, openDatabaseForReading, requireDatabase, withApp } from './open-app.ts';

interface RotateOptions extends ConfigOptions {
  previous?: string;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway secret-key rotate
  taxiway secret-key rotate --previous /root/previous-key

Stop the server first. If the data folder has the file secret.key, the command creates the new key, and renames the previous one to
secret.key.previous. If the configuration has server.secret_key, set it to the new key first, and name a file with the previous key.
If it's interrupted, run it again: it continues. Everyone stays signed in. What the previous key signed stops working, such as links in
emails to testers, running uploads and downloads, and the cookies by which install pages recognize phones.
`;

export function buildSecretKeyCommand(host: CommandHost): Command {
  const rotate = addConfigOption(new Command('rotate'))
    .description('Replaces the secret key, for example if someone may have read it. The server has to be stopped.')
    .option('--previous <file>', 'file with the previous server.secret_key, if the configuration has the key')
    .option('--json', 'print the counts as JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: RotateOptions) => {
      const config = loadCommandConfig(host, options);
      return explainFailure(config, () => rotateKey(host, config, options));
    });
  return new Command('secret-key')
    .description('Replaces the secret key.')
    .addCommand(rotate)
    .addHelpText('after', EXAMPLES);
}

async function rotateKey(host: CommandHost, config: Config, options: RotateOptions): Promise<void> {
  const previousKey = readPreviousKey(config, options.previous);
  requireDatabase(config);
  const { file } = config.database;
  const server = { lockFile: `${file}.lock`, name: file, refusal: 'the server is running; stop it first' };
  const release = acquireLocks([server, backupLock(config)], addonOf(config));
  try {
    const keyFile = keyFileOf(config);
    const [from, to] = [previousKey, provideNextKey(config, keyFile)].map((key) => createSecrets(key)) as [
      Secrets,
      Secrets,
    ];
    let resealed: ResealedValues = { values: 0, damaged: 0 };
    const opensWith = findKey(config, { from, to });
    if (opensWith === undefined) throw new Refusal(`${file} was encrypted with another key than these two`);
    if (opensWith === from) {
      resealed = await withApp(config, ({ app }) => reseal(app, to), { masterKey: previousKey });
    }
    const { resealChainHeads } = await import('../audit/chain-heads.ts');
    resealChainHeads(file, { current: to.keyring.current, previous: [from.keyring.current] });
    if (keyFile !== undefined) replaceKeyFile(keyFile);
    print(host, { ...resealed, keyFile, isJson: options.json === true });
  } finally {
    release();
  }
}

/** The file of the key; undefined if the configuration has the key. */
function keyFileOf({ server }: Config): string | undefined {
  return server.secret_key === '' ? join(server.data_dir, 'secret.key') : undefined;
}

function readPreviousKey(config: Config, previous: string | undefined): Buffer {
  const keyFile = keyFileOf(config);
  if (keyFile !== undefined) {
    if (previous !== undefined) throw new UsageError(`--previous is for server.secret_key; this server has ${keyFile}`);
    return readMasterKey(keyFile);
  }
  if (previous === undefined) {
    throw new UsageError('set server.secret_key to a new key, and name a file with the previous one with --previous');
  }
  let key: string;
  try {
    key = readGivenFile(previous).toString('utf8').trim();
  } catch (error) {
    throw new Refusal(`can't read ${previous}: ${describeFailure(error)}`);
  }
  if (key === config.server.secret_key) {
    throw new Refusal(`server.secret_key is still the key in ${previous}: set it to a new one`);
  }
  return loadMasterKey(key, previous);
}

/** Returns the new key. A rotation that was interrupted has stored it: what it changed in a bucket or the database has this key. */
function provideNextKey({ server }: Config, keyFile: string | undefined): Buffer {
  if (keyFile === undefined) return loadMasterKey(server.secret_key, '');
  const next = nextKeyFileOf(keyFile);
  writeMasterKey(next);
  giveToOwnerOf(keyFile, next);
  return readMasterKey(next);
}

/** Returns the key that the database was encrypted with. */
function findKey(config: Config, { from, to }: { from: Secrets; to: Secrets }): Secrets | undefined {
  const client = openDatabaseForReading(config);
  try {
    return [from, to].find((secrets) => client === undefined || canOpenSealedKeys(client, secrets));
  } finally {
    client?.close();
  }
}

/** Encrypts and signs everything with another key in one transaction, so that a crash never leaves a database that needs two keys. */
async function reseal(app: App, to: Secrets): Promise<ResealedValues> {
  const [{ systemContext }, { sealedColumns }, { resealColumn }, { resealCheckpoints }, { replaceSigningKeys }, owner] =
    await Promise.all([
      import('../core/transact.ts'),
      import('../sealed-columns.ts'),
      import('../runtime/sealed-columns.ts'),
      import('../audit/reseal.ts'),
      import('../runtime/signing-keys.ts'),
      import('../storage/owner.ts'),
    ]);
  // Before the database: with a mark of the next key, this command can be repeated; with one of a key that is gone, nothing could
  // change it.
  try {
    await app.storage.claim(owner.storageOwner({ secrets: to }), owner.storageOwner(app));
  } catch (error) {
    throw new Refusal(`the storage can't be reached, so nothing was changed: ${describeFailure(error)}`);
  }
  // The key is replaced after the commit, whatever database.synchronous says about it.
  app.db.$client.pragma('synchronous = FULL');
  const resealed = systemContext(app).transact((tx) => {
    const total = { values: 0, damaged: 0 };
    for (const column of sealedColumns) {
      const { values, damaged } = resealColumn(tx.db, column, app.secrets, to);
      total.values += values;
      total.damaged += damaged;
    }
    resealCheckpoints(tx, to.keyring);
    replaceSigningKeys({ ...tx, secrets: to });
    tx.record('secret_key.rotated', { identifier: to.keyring.current.id, organizationId: null, details: total });
    return total;
  });
  await app.db.durability.settle();
  return resealed;
}

/** Keeps the previous key, which older replicas need. */
function replaceKeyFile(keyFile: string): void {
  const previous = `${keyFile}.previous`;
  writeAside(previous, (aside) => {
    copyFileSync(keyFile, aside);
    giveToOwnerOf(keyFile, aside);
  });
  renameSync(nextKeyFileOf(keyFile), keyFile);
  syncFolderOf(keyFile);
}

function print(
  host: CommandHost,
  { values, damaged, keyFile, isJson }: ResealedValues & { keyFile: string | undefined; isJson: boolean },
): void {
  if (isJson) host.print(`${JSON.stringify({ values, damaged }, null, 2)}\n`);
  else host.print(`secret key rotated: ${countOf(values, 'value')} encrypted with the new one\n`);
  if (damaged > 0) host.say(`${countOf(damaged, 'value')} can't be decrypted, as before, and must be entered again\n`);
  const kept = keyFile === undefined ? '' : `The previous key is ${keyFile}.previous. `;
  host.say(`${kept}Replicas and backups from before need the previous key. Create a backup, and copy the new key.\n`);
}
