// The files that Litestream 0.3.13 and systemd read: Litestream's configuration with the keys of the replica, and a unit that runs
// it beside the server.
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import { CONFINEMENT, quoteCommand, quoteForSystemd } from '../lib/systemd.ts';

/**
 * Litestream first copies changes to files of its own, then sends these. The two waits add up, so together they are shorter than
 * the interval and leave time for the request.
 */
const COPIED_WITHIN = 0.25;
const SENT_WITHIN = 0.5;

export interface LitestreamFilesOptions {
  /** The database of the server, or of another installation into which the replica is restored. */
  database: string;
}

/**
 * Returns Litestream's configuration. It has the secret access key. Texts are written as in JSON, which YAML includes, and
 * Litestream must run with `-no-expand-env`, because it would replace each `$` otherwise.
 */
export function renderLitestreamConfig({ replication }: Config, { database }: LitestreamFilesOptions): string {
  const { interval_ms: interval, metrics_address: address, target, s3 } = replication;
  const line = (key: string, value: string | boolean) => `        ${key}: ${JSON.stringify(value)}`;
  const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]+)\/?(.*?)\/?$/.exec(target) ?? [];
  const place = target.startsWith('s3://')
    ? [
        line('bucket', bucket),
        line('path', prefix),
        line('region', s3.region),
        ...(s3.endpoint === '' ? [] : [line('endpoint', s3.endpoint)]),
        line('force-path-style', s3.force_path_style),
        ...(s3.access_key_id === '' ? [] : [line('access-key-id', s3.access_key_id)]),
        ...(s3.access_key_id === '' ? [] : [line('secret-access-key', s3.secret_access_key)]),
      ]
    : [line('path', target)];
  return `# Written by "taxiway replication configure" for Litestream 0.3.13. The next run replaces it: change config.toml instead.
addr: ${JSON.stringify(address)}
dbs:
  - path: ${JSON.stringify(database)}
    monitor-interval: ${Math.round(interval * COPIED_WITHIN)}ms
    replicas:
      - type: ${target.startsWith('s3://') ? 's3' : 'file'}
        name: taxiway
${place.join('\n')}
        sync-interval: ${Math.round(interval * SENT_WITHIN)}ms
        snapshot-interval: ${replication.snapshot_hours}h
        retention: ${replication.retention_hours}h
        retention-check-interval: 1h
logging:
  level: warn
  stderr: true
`;
}

/** Returns what Litestream needs in its environment: the file of the keys, if there is one. */
export function litestreamEnvironment({ replication: { s3 } }: Config): Record<string, string> {
  return s3.credentials_file === '' ? {} : { AWS_SHARED_CREDENTIALS_FILE: s3.credentials_file };
}

/**
 * Returns a unit that runs Litestream as the server's account, which has to write to the database. It starts before the server and
 * stops after it, so that it sends the last changes, and is restarted without limit, because the log grows without it.
 */
export function renderLitestreamUnit(config: Config, facts: { program: string; file: string; user: string }): string {
  const { target } = config.replication;
  const folders = [dirname(config.database.file), ...(target.startsWith('s3://') ? [] : [target])];
  const start = quoteCommand([facts.program, 'replicate', '-no-expand-env', '-config', facts.file]);
  const environment = Object.entries(litestreamEnvironment(config)).map(
    ([name, value]) => `Environment=${quoteForSystemd(`${name}=${value}`)}\n`,
  );
  return `[Unit]
Description=Litestream, which replicates the database of Taxiway
Wants=network-online.target
After=network-online.target
Before=taxiway.service
StartLimitIntervalSec=0

[Service]
Type=exec
User=${facts.user}
ExecStart=${start}
${environment.join('')}Restart=always
RestartSec=1
TimeoutStopSec=30
UMask=0077
${CONFINEMENT}MemoryDenyWriteExecute=true
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM
ReadWritePaths=${folders.map(quoteForSystemd).join(' ')}

[Install]
WantedBy=multi-user.target
`;
}
