// taxiway restore --from-replica: restores the database of a replica into an empty data folder.
import { InvalidArgumentError } from 'commander';
import type { Config } from '../config.ts';
import { addonOf } from '../data/addon.ts';
import { UsageError } from '../lib/failure.ts';
import { formatBytes } from '../lib/formats.ts';
import { findOwner } from '../runtime/data-owner.ts';
import { type ConfigOptions, loadCommandConfig } from './configuration.ts';
import type { CommandHost } from './host.ts';
import { explainFailure } from './open-app.ts';

interface ReplicaOptions extends ConfigOptions {
  backup?: string;
  identity?: string;
  timestamp?: Date;
  json?: boolean;
}

/** Restores the database of the configured replica. Throws Refusal or UsageError. */
export async function restoreFromReplica(
  host: CommandHost,
  given: string | undefined,
  { backup: id, identity, timestamp: at, ...options }: ReplicaOptions,
): Promise<void> {
  if ([given, id, identity].some((value) => value !== undefined)) {
    throw new UsageError(
      '--from-replica takes no place, --backup or --identity: the replica is that of replication.target',
    );
  }
  const config = loadCommandConfig(host, options);
  const { restoreReplica } = await import('../replication/restore.ts');
  const job = { config, at, env: host.env, nativeBinding: addonOf(config) };
  const { bytes, newestEventAt } = await explainFailure(config, () => restoreReplica(job));
  const { file } = config.database;
  const facts = { database: file, bytes, newest_event_at: newestEventAt };
  const newest = newestEventAt === null ? '' : `, up to the event of ${newestEventAt}`;
  if (options.json === true) host.print(`${JSON.stringify(facts, null, 2)}\n`);
  else host.print(`${file} restored: ${formatBytes(bytes, 'en')}${newest}\n`);
  sayOwner(host, config);
  host.say('run "taxiway check" before starting the server, and make sure that no other server uses this replica\n');
}

/** Says what root has to do so that the account of the server can use what root restored into its folder. */
export function sayOwner(host: CommandHost, { server }: Config): void {
  const { data_dir: folder } = server;
  const owner = findOwner(folder, folder);
  if (owner === undefined) return;
  host.say(
    `the restored files belong to root, and ${folder} doesn't: run "chown -R ${owner.uid}:${owner.gid} ${folder}"\n`,
  );
}

/** Parses a moment with a time zone. */
export function readMoment(text: string): Date {
  const moment = new Date(text);
  const isWhole = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/.test(text);
  if (isWhole && !Number.isNaN(moment.getTime())) return moment;
  throw new InvalidArgumentError('It must be a time such as 2026-03-01T12:00:00Z.');
}
