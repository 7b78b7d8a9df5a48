// taxiway support-bundle: what a bug report needs, in one readable file without secrets.
import { createReadStream, statfsSync, statSync } from 'node:fs';
import { cpus, freemem, release, totalmem } from 'node:os';
import { dirname, resolve } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { Command } from 'commander';
import { withoutSecrets } from '../config/shareable.ts';
import type { Config } from '../config.ts';
import { migrationStatus } from '../data/migrate.ts';
import { timestamp } from '../lib/clock.ts';
import { writeNew } from '../lib/durable-file.ts';
import { codeOf } from '../lib/error-code.ts';
import { describeFailure, Refusal } from '../lib/failure.ts';
import { redact } from '../lib/redact.ts';
import { version } from '../lib/version.ts';
import { collectFindings } from './check.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import type { CommandHost } from './host.ts';
import { openDatabaseForReading } from './open-app.ts';

interface BundleOptions extends ConfigOptions {
  log?: string;
}

const DEFAULT_FILE = 'taxiway-support.json';
const MAX_LOG_LINES = 1_000;
const MAX_LOG_BYTES = 1024 * 1024;
const MAX_LINE_LENGTH = 10_000;

const EXAMPLES = `
Examples:
  taxiway support-bundle
  journalctl --unit=taxiway --output=cat --lines=1000 | taxiway support-bundle --log -
  taxiway support-bundle report.json --log /var/log/taxiway.log

Writes a JSON file for a bug report: version, system, configuration without secrets, findings of "taxiway check", tables of the
database with their number of rows, failed jobs, and the last ${MAX_LOG_LINES} lines of the log. Email addresses, network addresses, QR codes
and long random texts are removed from log lines and messages. It contains the address of the server, paths and ids: read it before you
share it. Nothing is sent anywhere.
`;

export function buildSupportBundleCommand(host: CommandHost): Command {
  return addConfigOption(new Command('support-bundle'))
    .description('Writes a file with the facts for a bug report, without secrets.')
    .argument('[file]', 'the file to create; "-" for the standard output', DEFAULT_FILE)
    .option('--log <file>', 'log of the server whose last lines are included; "-" for the standard input')
    .addHelpText('after', EXAMPLES)
    .action((file: string, options: BundleOptions) => createBundle(host, file, options));
}

async function createBundle(host: CommandHost, name: string, options: BundleOptions): Promise<void> {
  const config = loadCommandConfig(host, options);
  host.lowerPriority();
  const bundle = {
    created_at: timestamp(host.now()),
    taxiway: { version: version.version, commit: version.commit, built_at: version.builtAt },
    system: describeSystem(config),
    configuration: withoutSecrets(config),
    findings: await findings(host, options),
    database: describeDatabase(config),
    log: options.log === undefined ? null : (await readLog(host, options.log)).map(redact),
  };
  const text = `${JSON.stringify(bundle, null, 2)}\n`;
  if (name === '-') host.print(text);
  else host.print(`${writeBundle(resolve(host.cwd, name), text)}\n`);
  host.say('Read it before you share it: it contains the address of the server, paths and ids.\n');
}

/** Returns the path of the new file. Throws Refusal. */
function writeBundle(file: string, text: string): string {
  try {
    writeNew(file, text, 0o600);
    return file;
  } catch (error) {
    if (isExisting(error)) throw new Refusal(`${file} already exists and was not changed; name another file`);
    throw new Refusal(`cannot write ${file}: ${describeFailure(error)}`);
  }
}

const isExisting = (error: unknown): boolean => codeOf(error) === 'EEXIST';

function describeSystem({ server }: Config) {
  return {
    platform: process.platform,
    arch: process.arch,
    release: release(),
    node: process.version,
    processors: cpus().length,
    memory_bytes: totalmem(),
    free_memory_bytes: freemem(),
    disk: describeDisk(server.data_dir),
  };
}

function describeDisk(folder: string) {
  try {
    const { bavail, blocks, bsize, type } = statfsSync(folder);
    return { free_bytes: bavail * bsize, size_bytes: blocks * bsize, type: `0x${type.toString(16)}` };
  } catch (error) {
    return { problem: describeFailure(error) };
  }
}

async function findings(host: CommandHost, options: ConfigOptions) {
  const { findings: found } = await collectFindings(host, options);
  return found.map(({ name, status, detail }) => ({ name, status, detail: redact(detail) }));
}

/** Facts of the database file. One that can't be read is described by its error. */
function describeDatabase(config: Config) {
  let client: Sqlite.Database | undefined;
  try {
    client = openDatabaseForReading(config);
    if (client === undefined) return null;
    const database = client;
    const pragma = (name: string) => database.pragma(name, { simple: true });
    const { applied, waiting, unknown } = migrationStatus(client);
    return {
      sqlite: client.prepare('SELECT sqlite_version()').pluck().get(),
      bytes: Number(pragma('page_count')) * Number(pragma('page_size')),
      free_pages: pragma('freelist_count'),
      journal_mode: pragma('journal_mode'),
      disk: describeDisk(dirname(config.database.file)),
      migrations: { applied: applied.length, last: applied.at(-1) ?? null, waiting, unknown },
      tables: countRows(client),
      schema: client.prepare('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name').pluck().all(),
      failed_jobs: listFailedJobs(client),
    };
  } catch (error) {
    return { problem: redact(describeFailure(error)) };
  } finally {
    client?.close();
  }
}

function countRows(client: Sqlite.Database): Record<string, number> {
  const names = client
    .prepare<[], string>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
    )
    .pluck()
    .all();
  return Object.fromEntries(
    names.map((name) => [name, client.prepare<[], number>(`SELECT count(*) FROM "${name}"`).pluck().get() ?? 0]),
  );
}

function listFailedJobs(client: Sqlite.Database) {
  const rows = client
    .prepare<[], { kind: string; state: string; attempts: number; last_error: string; jobs: number }>(
      `SELECT kind, state, max(attempts) AS attempts, last_error, count(*) AS jobs FROM jobs
        WHERE last_error IS NOT NULL GROUP BY kind, state, last_error ORDER BY jobs DESC LIMIT 100`,
    )
    .all();
  return rows.map((row) => ({ ...row, last_error: redact(row.last_error) }));
}

async function readLog(host: CommandHost, name: string): Promise<string[]> {
  const text = name === '-' ? await readEnd(host.stdin) : await readEndOfFile(resolve(host.cwd, name));
  const lines = text.trimEnd().split('\n').slice(-MAX_LOG_LINES);
  return lines.map((line) => line.slice(0, MAX_LINE_LENGTH));
}

async function readEnd(stream: NodeJS.ReadableStream): Promise<string> {
  // A character can be in two chunks.
  stream.setEncoding('utf8');
  let text = '';
  for await (const chunk of stream) text = (text + chunk).slice(-MAX_LOG_BYTES);
  return text;
}

async function readEndOfFile(file: string): Promise<string> {
  try {
    const { size } = statSync(file);
    // A pipe, such as that of a shell's <(…), has no size and no end to start at.
    const start = Math.max(0, size - MAX_LOG_BYTES);
    return await readEnd(createReadStream(file, start > 0 ? { start } : {}));
  } catch (error) {
    throw new Refusal(`cannot read the log: ${describeFailure(error)}`);
  }
}
