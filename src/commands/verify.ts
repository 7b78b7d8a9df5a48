// taxiway verify: checks the audit trail and the stored packages for changes.

import { accessSync, constants, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { Command, InvalidArgumentError } from 'commander';
import type { Head, NotedHeads } from '../audit/chain-heads.ts';
import { parseHead } from '../audit/chain-heads.ts';
import type { AuditVerdict } from '../audit/verify.ts';
import type { StoredFile } from '../backup/format.ts';
import type { BackupVerdict } from '../backup/verify.ts';
import type { PackageVerdict } from '../checks/verify-packages.ts';
import type { Config } from '../config.ts';
import { addonOf } from '../data/addon.ts';
import { countOf } from '../lib/count.ts';
import { Refusal, UsageError } from '../lib/failure.ts';
import { formatBytes } from '../lib/formats.ts';
import type { Keyring } from '../runtime/signing.ts';
import { readPlace } from './backup-place.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { type CommandHost, plainText } from './host.ts';
import { explainFailure, openDatabaseForReading, requireDatabase } from './open-app.ts';
import { createProgressLines } from './progress.ts';
import { formatTable } from './table.ts';

interface VerifyOptions extends ConfigOptions {
  head?: Head[];
  packages: boolean;
  backup?: string;
  identity?: string;
  repair?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway verify
  taxiway verify --no-packages
  taxiway verify /mnt/backups/taxiway
  taxiway verify /mnt/backups/taxiway --repair
  taxiway verify s3://company-backups/taxiway --backup 20260301T030000.000Z-1f2e3d4c
  taxiway verify --head 0197b6a0-3c1e-7c44-9d0b-3a1f2e5d6c7b:1042:4f0c…

The chain heads show whether rows were removed from the end of a chain. The server stores them every minute in a file with
the database's name and ".audit-heads", which this command reads, and logs them once a day ("audit chain heads"). If that
file may be lost too, pass a logged head. All packages are read and compared with the checksum from their upload, which can
take a while.

With a place, all files of its newest backup are read and compared with their checksums instead. An encrypted backup is also
decrypted if --identity names the secret key. With --repair, damaged packages and images are deleted from the backups, so that the
next backup stores them again. The exit code is 1 if a check fails.
`;

export function buildVerifyCommand(host: CommandHost): Command {
  return addConfigOption(new Command('verify'))
    .description(
      'Checks the audit trail and all stored packages, or a backup, and lists what was modified or is missing.',
    )
    .argument('[place]', 'verify a backup instead: a folder, file, or s3://BUCKET/PREFIX', readPlace)
    .option('--backup <id>', 'the backup to verify instead of the newest')
    .option('--identity <file>', 'file with the secret key of age, for an encrypted backup')
    .option('--repair', 'delete what is damaged in the newest backup, so that the next one stores it again')
    .option('--head <chain:sequence:hash>', 'a chain head from the log; can be repeated', readHead)
    .option('--no-packages', 'check only the audit trail')
    .option('--json', 'print chains, heads and problems as JSON')
    .addHelpText('after', EXAMPLES)
    .action((place: string | undefined, options: VerifyOptions) =>
      place === undefined ? verify(host, options) : verifyPlace(host, place, options),
    );
}

function readHead(value: string, before: Head[] = []): Head[] {
  const head = parseHead(value);
  if (head === undefined) throw new InvalidArgumentError('It must be CHAIN:SEQUENCE:HASH, as shown in the log.');
  return [...before, head];
}

/** Reads all files of a backup. */
async function verifyPlace(host: CommandHost, name: string, options: VerifyOptions): Promise<void> {
  if (options.head !== undefined) throw new UsageError('--head is for the audit trail, not for a backup');
  if (!options.packages) throw new UsageError('--no-packages is for the audit trail, not for a backup');
  const isRepair = options.repair === true;
  if (isRepair && options.backup !== undefined) throw new UsageError('--repair is for the newest backup');
  const config = loadCommandConfig(host, options);
  const [{ openPlaceForReading }, { withFileIndex }, { verifyBackup }, { explainBackup, loadIdentities }] =
    await Promise.all([
      import('../backup/open-place.ts'),
      import('../backup/file-index.ts'),
      import('../backup/verify.ts'),
      import('./backup.ts'),
    ]);
  // Only the server can store them again.
  if (isRepair) await explainFailure(config, () => requireDatabase(config));
  const unseal = await loadIdentities(host, options.identity);
  const place = await explainBackup(config, () => openPlaceForReading(name, config, host.cwd));
  const say = createProgressLines(host);
  const onProgress = (files: number, bytes: number): void =>
    say(() => `${files} files read (${formatBytes(bytes, 'en')})`);
  const verdict = await explainBackup(config, () =>
    withFileIndex(findTemporaryFolder(config), addonOf(config), (index) =>
      verifyBackup(place, { id: options.backup, unseal, index, onProgress }),
    ),
  ).finally(() => place.close());
  const deleted = isRepair ? await explainBackup(config, () => repair(host, config, name, verdict.damaged)) : undefined;
  if (options.json === true) printBackupJson(host, verdict, deleted);
  else printBackup(host, verdict, deleted);
  const total = countProblems(verdict);
  if (total > 0) throw new Refusal(`the backup ${verdict.manifest.id} is damaged in ${countOf(total, 'place')}`);
}

function countProblems({ problems, unlisted }: { problems: readonly unknown[]; unlisted: number }): number {
  return problems.length + unlisted;
}

/** `deleted` is the number of damaged files that --repair deleted; undefined without it. */
function printBackupJson(host: CommandHost, verdict: BackupVerdict, deleted: number | undefined): void {
  const { manifest, files, bytes, problems, unlisted, isDecrypted } = verdict;
  const facts = { backup: manifest.id, created_at: manifest.created_at, files, bytes, is_decrypted: isDecrypted };
  const found = { problems, unlisted_problems: unlisted, ...(deleted === undefined ? {} : { deleted }) };
  host.print(`${JSON.stringify({ ok: countProblems(verdict) === 0, ...facts, ...found }, null, 2)}\n`);
}

function printBackup(host: CommandHost, verdict: BackupVerdict, deleted: number | undefined): void {
  const { manifest, files, bytes, problems, damaged, isDecrypted } = verdict;
  for (const problem of problems) host.print(`${plainText(problem)}\n`);
  if (countProblems(verdict) === 0)
    host.print(`backup ${manifest.id}: ${files} files read (${formatBytes(bytes, 'en')}), undamaged\n`);
  if (manifest.recipients.length > 0 && !isDecrypted)
    host.say('the backup is encrypted; --identity also decrypts it\n');
  if (deleted !== undefined && deleted > 0) {
    host.say(`${countOf(deleted, 'damaged file')} deleted: the next backup stores again what the server has\n`);
  } else if (deleted === undefined && damaged.length > 0) {
    host.say(
      'later backups have the same damage: on the server, --repair deletes it, and the next backup is complete\n',
    );
  }
}

/** Deletes damaged contents while no backup runs, which could count on them. Returns how many were deleted. */
async function repair(
  host: CommandHost,
  config: Config,
  name: string,
  damaged: readonly StoredFile[],
): Promise<number> {
  if (damaged.length === 0) return 0;
  const [{ openPlaceForWriting }, { backupLock }, { deleteDamaged }, { acquireLocks }] = await Promise.all([
    import('../backup/open-place.ts'),
    import('../backup/lock.ts'),
    import('../backup/verify.ts'),
    import('../runtime/lock.ts'),
  ]);
  const release = acquireLocks([backupLock(config)], addonOf(config));
  try {
    const place = await openPlaceForWriting(name, config, host.cwd);
    return await deleteDamaged(place, damaged).finally(() => place.close());
  } finally {
    release();
  }
}

/** The folder for the list of the backup's files. Containers have only the data folder to write to. Throws Refusal. */
function findTemporaryFolder({ server }: Config): string {
  const folders = [tmpdir(), server.data_dir];
  const found = folders.find((folder) => {
    try {
      accessSync(folder, constants.W_OK);
      return true;
    } catch {
      return false;
    }
  });
  if (found === undefined) throw new Refusal(`a temporary file can be written neither to ${folders.join(' nor to ')}`);
  return found;
}

async function verify(host: CommandHost, options: VerifyOptions): Promise<void> {
  if (options.backup !== undefined) throw new UsageError('--backup is for a backup: name its place too');
  if (options.identity !== undefined) throw new UsageError('--identity is for a backup: name its place too');
  if (options.repair === true) throw new UsageError('--repair is for a backup: name its place too');
  const config = loadCommandConfig(host, options);
  const [{ verifyAuditTrail }, { readChainHeads }] = await Promise.all([
    import('../audit/verify.ts'),
    import('../audit/chain-heads.ts'),
  ]);
  const { audit, packages, kept } = await explainFailure(config, async () => {
    requireDatabase(config);
    const keyring = await loadKeyring(config);
    const client = openDatabaseForReading(config);
    if (client === undefined) throw new Refusal(`there is no database ${config.database.file}`);
    try {
      // Read before the rows: rows that a server adds in between can only make the chains longer than the heads.
      const kept = readChainHeads(config.database.file, keyring);
      return {
        kept,
        audit: verifyAuditTrail(client, keyring, options.head ?? [], kept),
        packages: options.packages ? await verifyStoredPackages(host, config, client) : undefined,
      };
    } finally {
      client.close();
    }
  });
  printVerdict(host, { audit, packages, kept }, options.json === true);
}

/** Reads all packages. Doesn't open a storage whose folder is missing, because opening creates it. */
async function verifyStoredPackages(host: CommandHost, config: Config, client: Sqlite.Database) {
  const [{ verifyPackages }, { openStorageForChecking }] = await Promise.all([
    import('../checks/verify-packages.ts'),
    import('../checks/storage.ts'),
  ]);
  const nothing = { head: async () => undefined, read: async () => Buffer.alloc(0), placeOf: () => 'local' as const };
  const isThere = config.storage.backend !== 'local' || existsSync(config.storage.local.directory);
  const storage = isThere ? await openStorageForChecking(config, client) : nothing;
  const say = createProgressLines(host);
  return verifyPackages(client, storage, (packages, bytes) =>
    say(() => `${packages} packages read (${formatBytes(bytes, 'en')})`),
  );
}

/** Returns the key that seals checkpoints; undefined if there is none. Doesn't create one. */
async function loadKeyring({ server }: Config): Promise<Keyring | undefined> {
  const file = join(server.data_dir, 'secret.key');
  if (server.secret_key === '' && !existsSync(file)) return undefined;
  const { createSecrets, loadMasterKey } = await import('../runtime/secrets.ts');
  return createSecrets(loadMasterKey(server.secret_key, file)).keyring;
}

interface Verdict {
  audit: AuditVerdict;
  packages: PackageVerdict | undefined;
  kept: NotedHeads | undefined;
}

function printVerdict(host: CommandHost, { audit, packages, kept }: Verdict, isJson: boolean): void {
  const troubles = [...describeAuditTrouble(audit), ...describePackageTrouble(packages)];
  if (isJson) {
    const { rows, heads, problems, unlisted } = audit;
    const stored = packages && {
      packages: {
        checked: packages.packages,
        bytes: packages.bytes,
        in_containers: packages.inContainers,
        without_checksum: packages.unrecorded,
        problems: packages.problems,
        unlisted_problems: packages.unlisted,
      },
    };
    const trail = { rows, heads, noted_heads: kept?.heads.length ?? null, problems, unlisted_problems: unlisted };
    const facts = { ok: troubles.length === 0, ...trail, ...stored };
    host.print(`${JSON.stringify(facts, null, 2)}\n`);
  } else {
    if (troubles.length === 0 && kept === undefined) {
      host.say('no chain heads are stored next to the database yet; a running server stores them every minute\n');
    }
    printAudit(host, audit);
    if (packages !== undefined) printPackages(host, packages);
  }
  if (troubles.length > 0) throw new Refusal(troubles.join('; '));
}

function describeAuditTrouble(audit: AuditVerdict): string[] {
  const total = countProblems(audit);
  if (total === 0) return [];
  return [`the audit trail was modified in ${countOf(total, 'place')}`];
}

function describePackageTrouble(packages: PackageVerdict | undefined): string[] {
  const total = packages === undefined ? 0 : countProblems(packages);
  return total === 0 ? [] : [`${total} stored ${total === 1 ? 'package is' : 'packages are'} damaged`];
}

function printAudit(host: CommandHost, audit: AuditVerdict): void {
  const { rows, heads, problems } = audit;
  const cells = problems.map(({ problem, chain, sequence, id, timestamp, text }) =>
    [problem, `${chain}:${sequence}`, id ?? '-', timestamp ?? '-', text].map(plainText),
  );
  host.print(formatTable(cells));
  if (countProblems(audit) > 0) return;
  host.print(`audit trail: ${rows} rows in ${heads.length} chains, unmodified\n`);
}

function printPackages(host: CommandHost, verdict: PackageVerdict): void {
  const { packages, inContainers, unrecorded, problems } = verdict;
  host.print(formatTable(problems.map(({ problem, build, key, text }) => [problem, build, key, text].map(plainText))));
  if (inContainers > 0) host.print(`${countOf(inContainers, 'package')} in containers of organizations, not read\n`);
  if (packages === 0 || countProblems(verdict) > 0) return;
  const open = unrecorded === 0 ? '' : `; ${unrecorded} without a checksum yet, compared by size`;
  host.print(`stored packages: ${packages} read, undamaged${open}\n`);
}
