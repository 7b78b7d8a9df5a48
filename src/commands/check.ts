// taxiway check: runs health checks on everything that a server starts with. Without --repair, it changes no stored data.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { checkAddress } from '../checks/address.ts';
import { checkBackups } from '../checks/backups.ts';
import { checkBilling, checkPaymentProvider, recountBilling } from '../checks/billing.ts';
import type { BucketReport } from '../checks/bucket.ts';
import { checkContainers } from '../checks/containers.ts';
import { checkAccounts, checkClock, checkDatabase, checkMigrations } from '../checks/database.ts';
import { checkDeviceAuthority } from '../checks/device-authority.ts';
import { type Finding, fail, ok, warn } from '../checks/finding.ts';
import { checkLocationDatabase } from '../checks/location-database.ts';
import { checkMail } from '../checks/mail.ts';
import { checkPackages } from '../checks/packages.ts';
import { checkReach } from '../checks/reachability.ts';
import { checkReplication } from '../checks/replication.ts';
import { checkSecretKey } from '../checks/secrets.ts';
import { checkFolder, checkObjects, checkStorage, openStorageForChecking } from '../checks/storage.ts';
import { checkTls } from '../checks/tls.ts';
import { recountTotals } from '../checks/totals.ts';
import { checkUpdates } from '../checks/updates.ts';
import { type Config, ConfigError } from '../config.ts';
import { finishFills } from '../data/background-fills.ts';
import { describeLoss } from '../data/missing-database.ts';
import { repairTotals } from '../data/totals.ts';
import { countOf } from '../lib/count.ts';
import { describeFailure, Refusal } from '../lib/failure.ts';
import { withProgramName } from '../lib/program-name.ts';
import { hasObjectsIn } from '../storage/places.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { type CommandHost, plainText } from './host.ts';
import { openDatabaseForReading, withApp } from './open-app.ts';
import { formatTable } from './table.ts';

interface CheckOptions extends ConfigOptions {
  json?: boolean;
  setCors?: boolean;
  repair?: boolean;
}

const EXAMPLES = `
Example:
  taxiway check --config /etc/taxiway/config.toml

Prints one line for each check: ok, warn or fail. The exit code is 1 if a check fails. For a bucket, it also prints the policy and
the CORS rules that are missing. With --repair, totals that differ from a recount are corrected first; the server can keep running.
`;

export function buildCheckCommand(host: CommandHost): Command {
  return addConfigOption(new Command('check'))
    .description('Checks configuration, database, storage, disk and clock, and what iOS installs require.')
    .option('--json', 'print the findings as a JSON array')
    .option('--set-cors', 'first allow uploads by browsers in the CORS rules of the bucket')
    .option('--repair', 'first correct totals of downloads, reports and builds that differ from a recount')
    .addHelpText('after', EXAMPLES)
    .action((options: CheckOptions) => check(host, options));
}

async function check(host: CommandHost, options: CheckOptions): Promise<void> {
  const { findings: found, documents } = await collectFindings(host, options);
  const findings = found.map((finding) => ({ ...finding, detail: withProgramName(finding.detail, host.program) }));
  const rows = findings.map(({ status, name, detail }) => [status, name, plainText(detail)]);
  host.print(options.json === true ? `${JSON.stringify(findings, null, 2)}\n` : formatTable(rows));
  for (const document of documents) host.say(`\n${document}`);
  const failed = findings.filter((finding) => finding.status === 'fail').length;
  if (failed > 0) throw new Refusal(`${failed} of ${findings.length} checks failed`);
}

/** Makes all checks of `taxiway check`. An invalid configuration is a finding. */
export async function collectFindings(host: CommandHost, options: CheckOptions): Promise<BucketReport> {
  const file = resolve(host.cwd, options.config ?? 'config.toml');
  const configFile = options.config !== undefined || existsSync(file) ? file : undefined;
  let config: Config;
  try {
    config = loadCommandConfig(host, options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { findings: error.message.split('\n').map((line) => fail('config', line)), documents: [] };
  }
  if (options.repair === true) await repair(host, config);
  const bucket = await checkConfiguredBucket(config, options);
  const findings = [
    ok('config', configFile ?? 'no config.toml, using the defaults'),
    ...(await checkData(host, config, configFile)),
    ...bucket.findings,
    ...(await checkMail(config)),
    ...(await checkLocationDatabase(config)),
    ...checkDeviceAuthority(config),
    ...checkAddress(config),
    ...(await checkUpdates(config, fetch)),
  ];
  return { findings, documents: bucket.documents };
}

/** Without a database, there is nothing to repair. */
async function repair(host: CommandHost, config: Config): Promise<void> {
  if (!existsSync(config.database.file)) return;
  const repaired = await withApp(config, ({ app }) => {
    // Otherwise what they add later would be added twice.
    finishFills(app.db.$client);
    return repairTotals(app.db.$client);
  });
  host.say(`corrected ${countOf(repaired, 'total')}\n`);
}

async function checkConfiguredBucket(config: Config, { setCors = false }: CheckOptions): Promise<BucketReport> {
  // Also a bucket that only has some of the objects, or that is going to be used.
  if (config.storage.s3.bucket !== '') {
    const { checkBucket } = await import('../checks/bucket.ts');
    const report = await checkBucket(config, { isSettingCors: setCors });
    return isInUse(config) ? report : { ...report, findings: report.findings.map(asWarning) };
  }
  if (setCors) throw new Refusal('storage.backend isn\'t "s3", so there are no CORS rules to set');
  return { findings: [], documents: [] };
}

/** Whether the bucket is for new objects, or some are recorded in it. */
function isInUse(config: Config): boolean {
  if (config.storage.backend === 's3') return true;
  let client: ReturnType<typeof openDatabaseForReading>;
  try {
    client = openDatabaseForReading(config);
    return client !== undefined && hasObjectsIn(client, 's3');
  } catch {
    return true;
  } finally {
    client?.close();
  }
}

/** Without its failures, the server works. */
function asWarning(finding: Finding): Finding {
  return finding.status === 'fail' ? { ...finding, status: 'warn' } : finding;
}

/** A missing database is fine before the first start, but a loss if other data exists. */
function describeMissing({ database, server, storage }: Config): Finding {
  const secretKey = join(server.data_dir, 'secret.key');
  const loss = describeLoss({ database: database.file, secretKey, storage: storage.local.directory });
  return loss === undefined
    ? warn('database', `${database.file} will be created at the first start`)
    : fail('database', loss);
}

async function checkData(host: CommandHost, config: Config, configFile: string | undefined): Promise<Finding[]> {
  const findings: Finding[] = [];
  /** An error in a check becomes its finding. */
  const attempt = async (name: string, work: () => Finding | Finding[] | Promise<Finding | Finding[]>) => {
    try {
      findings.push(...[await work()].flat());
    } catch (error) {
      findings.push(fail(name, describeFailure(error)));
    }
  };

  let client: ReturnType<typeof openDatabaseForReading>;
  await attempt('database', () => {
    client = openDatabaseForReading(config);
    return client === undefined ? describeMissing(config) : checkDatabase(client);
  });
  try {
    const database = client;
    if (database !== undefined) await attempt('migrations', () => checkMigrations(database));
    await attempt('secret key', () => checkSecretKey(config, configFile, database));
    await attempt('clock', () => checkClock(new Date(host.now()), database));
    if (database !== undefined) await attempt('backup', () => checkBackups(config, database, new Date(host.now())));
    await attempt('replication', () => checkReplication(config, database));
    if (database !== undefined) await attempt('accounts', () => checkAccounts(database));
    if (database !== undefined) await attempt('totals', () => recountTotals(database));
    if (database !== undefined) await attempt('billing', () => recountBilling(config, database));
    await attempt('billing', () => checkBilling(config, database));
    await attempt('payment provider', () => checkPaymentProvider({ config, fetch }));
    await attempt('certificate', () => checkTls(config, database, new Date(host.now())));
    await attempt('reach', () => checkReach(config, database));
    await attempt('storage', async () => {
      // The server's account must own the folders, so the check doesn't create them.
      if (config.storage.backend === 'local' && !existsSync(config.server.data_dir))
        return ok('storage', `${config.server.data_dir} will be created at the first start`);
      const lost = database === undefined ? [] : checkFolder(config, database);
      if (lost.length > 0) return lost;
      const storage = await openStorageForChecking(config, database);
      const objects = database === undefined ? [] : [await checkObjects(database, storage)];
      const packages = database === undefined ? [] : checkPackages(database);
      return [...(await checkStorage(config, storage)), ...objects, ...packages];
    });
    if (database !== undefined) await attempt('containers', () => checkContainers(config, database, () => host.now()));
  } finally {
    client?.close();
  }
  return findings;
}
