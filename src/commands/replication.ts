// taxiway replication: writes the files that Litestream needs to replicate the database.
import {
  closeSync,
  fchmodSync,
  fchownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import type { Config } from '../config.ts';
import { accountName } from '../lib/account-name.ts';
import { describeFailure, Refusal } from '../lib/failure.ts';
import { renderLitestreamConfig, renderLitestreamUnit } from '../replication/files.ts';
import { findProgram } from '../replication/program.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import type { CommandHost } from './host.ts';

interface ConfigureOptions extends ConfigOptions {
  out?: string;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway replication configure --config /srv/taxiway/config.toml
  taxiway replication configure --config /srv/taxiway/config.toml --out /etc/taxiway

Run it again after each change of [replication]: it replaces its files. litestream.yml has the secret access key, and only the
account of the server can read it.
`;

/** Where Litestream's own packages install the program. */
const USUAL_PROGRAM = '/usr/bin/litestream';

export function buildReplicationCommand(host: CommandHost): Command {
  const command = new Command('replication').description(
    'Sets up continuous replication of the database by Litestream.',
  );
  command.addHelpText('after', EXAMPLES);
  addConfigOption(command.command('configure'))
    .description("Writes litestream.yml and taxiway-litestream.service from the server's configuration.")
    .option('--out <dir>', 'folder for the files (default: the folder of the configuration)')
    .option('--json', 'print the files written as JSON')
    .addHelpText('after', EXAMPLES)
    .action((options: ConfigureOptions) => configure(host, options));
  return command;
}

function configure(host: CommandHost, options: ConfigureOptions): void {
  const config = loadCommandConfig(host, options);
  const { target, program: name } = config.replication;
  if (target === '') throw new Refusal('replication.target is empty: set a bucket or a folder');
  const configFolder = options.config === undefined ? host.cwd : dirname(resolve(host.cwd, options.config));
  const folder = options.out === undefined ? configFolder : resolve(host.cwd, options.out);
  const [file, unit] = [join(folder, 'litestream.yml'), join(folder, 'taxiway-litestream.service')];
  const owner = findOwner(config, options.config === undefined ? undefined : resolve(host.cwd, options.config));
  const found = findProgram(name, host.env);
  const program = found ?? (name.includes('/') ? name : USUAL_PROGRAM);
  try {
    mkdirSync(folder, { recursive: true });
    if (!target.startsWith('s3://')) makeFolder(target, owner);
    write(file, renderLitestreamConfig(config, { database: config.database.file }), 0o600, owner);
    write(unit, renderLitestreamUnit(config, { program, file, user: owner.name }), 0o644);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(`cannot write the files of Litestream: ${describeFailure(error)}`);
  }
  if (options.json === true) {
    host.print(
      `${JSON.stringify({ litestream_file: file, unit_file: unit, program, is_installed: found !== undefined }, null, 2)}\n`,
    );
    return;
  }
  host.print(`${file}\n${unit}\n`);
  if (found === undefined) host.say(`Install Litestream 0.3.13 as ${program} first.\n`);
  host.say(`Restart the server, then: sudo systemctl enable --now ${unit}\n`);
}

interface Owner {
  /** For the unit; a number if it isn't the current account. */
  name: string;
  uid: number;
  gid: number;
}

/**
 * Litestream runs as the account that has the database, or else the data folder or the configuration, or else as the current one. The account
 * could let a link lead to a file of another one, so the owner of the link counts.
 */
function findOwner({ database, server }: Config, configFile: string | undefined): Owner {
  const stats = [database.file, server.data_dir, ...(configFile === undefined ? [] : [configFile])]
    .map((path) => lstatSync(path, { throwIfNoEntry: false }))
    .find((found) => found !== undefined);
  const [uid, gid] = [process.getuid?.() ?? -1, process.getgid?.() ?? -1];
  if (stats === undefined || stats.uid === uid) return { name: accountName() ?? String(uid), uid, gid };
  return { name: String(stats.uid), uid: stats.uid, gid: stats.gid };
}

const isRoot = (): boolean => process.getuid?.() === 0;

/**
 * Creates a folder that is missing, and gives what it created to the owner. One that exists keeps its owner: a link of the account could
 * lead to a folder of another one.
 */
function makeFolder(folder: string, owner: Owner): void {
  const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (first === undefined || !isRoot()) return;
  if (realpathSync(folder) !== folder) {
    throw new Refusal(`${folder} leads through a symbolic link; name the folder that it leads to`);
  }
  for (let path = folder; path.length >= first.length; path = dirname(path)) lchownSync(path, owner.uid, owner.gid);
}

/** Replaces a file in one step, so that Litestream never reads a part of it. */
function write(file: string, text: string, mode: number, owner?: Owner): void {
  const aside = `${file}.${process.pid}.part`;
  try {
    const handle = openSync(aside, 'wx', mode);
    try {
      fchmodSync(handle, mode);
      if (owner !== undefined && isRoot()) fchownSync(handle, owner.uid, owner.gid);
      writeFileSync(handle, text);
    } finally {
      closeSync(handle);
    }
    renameSync(aside, file);
  } finally {
    rmSync(aside, { force: true });
  }
}
