// taxiway init: creates a configuration file with new secrets, and optionally systemd units.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { isLoopback } from '../certificates/names.ts';
import { findReservedSegment } from '../config/reserved-segments.ts';
import { isServerAddress, normalizeServerAddress } from '../config/values.ts';
import { accountName } from '../lib/account-name.ts';
import { isExecutable } from '../lib/assets.ts';
import { DATA_FOLDER_MODE, writeNew } from '../lib/durable-file.ts';
import { describeFailure, Refusal } from '../lib/failure.ts';
import { executablePath } from '../lib/process.ts';
import { CONFINEMENT, quoteCommand, quoteForSystemd } from '../lib/systemd.ts';
import { hostnameOf } from '../lib/url-host.ts';
import type { CommandHost } from './host.ts';

interface InitOptions {
  baseUrl?: string;
  port?: number;
  tls?: 'acme' | 'internal';
  systemd?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway init
  taxiway init /srv/taxiway --base-url https://builds.example.com --systemd
  taxiway init /srv/taxiway --base-url https://builds.example.com --tls acme --systemd
  taxiway init --base-url https://192.168.1.20:8443 --tls internal
`;

export function buildInitCommand(host: CommandHost): Command {
  return new Command('init')
    .description('Creates config.toml with new secrets, readable only by its owner. Overwrites nothing.')
    .argument('[dir]', "folder, created if it doesn't exist", '.')
    .option('--base-url <address>', 'address that phones and browsers will use', readAddress)
    .option('--port <number>', 'port to listen on', readPort)
    .addOption(
      new Option(
        '--tls <mode>',
        'serve https itself: "acme" with a certificate from a public authority, "internal" with a private one',
      ).choices(['acme', 'internal']),
    )
    .option('--systemd', 'also write taxiway.service and taxiway.socket')
    .option('--json', 'print the files written as JSON')
    .addHelpText('after', EXAMPLES)
    .action((dir: string, options: InitOptions) => init(host, resolve(host.cwd, dir), options));
}

function readAddress(value: string): string {
  if (!isServerAddress(value))
    throw new InvalidArgumentError('It must be an http or https address, such as https://builds.example.com.');
  const address = normalizeServerAddress(value);
  const own = findReservedSegment(address);
  if (own !== undefined) throw new InvalidArgumentError(`The path /${own} is reserved.`);
  return address;
}

function readPort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (port < 1 || port > 65_535) throw new InvalidArgumentError('It must be a number from 1 to 65535.');
  return port;
}

function init(host: CommandHost, folder: string, options: InitOptions): void {
  checkTls(options);
  const configFile = join(folder, 'config.toml');
  const ports = portsOf(options);
  const units =
    options.systemd === true
      ? {
          [join(folder, 'taxiway.socket')]: renderSocketUnit(ports, options),
          [join(folder, 'taxiway.service')]: renderUnit(folder, configFile),
        }
      : {};
  const unitFiles = Object.keys(units);
  for (const file of [configFile, ...unitFiles]) {
    if (existsSync(file)) throw new Refusal(`${file} already exists and was not changed`);
  }
  const written: string[] = [];
  const write = (file: string, text: string, mode: number): void => {
    writeNew(file, text, mode);
    written.push(file);
  };
  try {
    mkdirSync(folder, { recursive: true });
    // The unit can only make a folder writable that exists.
    if (options.systemd === true) mkdirSync(join(folder, 'data'), { recursive: true, mode: DATA_FOLDER_MODE });
    write(configFile, renderConfig(folder, options), 0o600);
    for (const [file, text] of Object.entries(units)) write(file, text, 0o644);
  } catch (error) {
    // The next run would refuse them.
    for (const file of written) rmSync(file, { force: true });
    throw new Refusal(`cannot write the configuration: ${describeFailure(error)}`);
  }
  if (options.json === true) {
    const [socketFile = null, unitFile = null] = unitFiles;
    const files = { config_file: configFile, unit_file: unitFile, socket_file: socketFile };
    host.print(`${JSON.stringify(files, null, 2)}\n`);
    return;
  }
  for (const file of [configFile, ...unitFiles]) host.print(`${file}\n`);
  if (unitFiles.length === 0) host.say(`Start the server in that folder with "taxiway serve".\n`);
  else host.say(`Install it: sudo systemctl enable --now ${unitFiles.join(' ')}\n`);
  if (unitFiles.length > 0 && process.getuid?.() === 0) {
    host.say(`The service runs as root. To run it as another account, run this command as that account.\n`);
  }
}

/** A certificate is for the host that phones open, so --base-url is required. */
function checkTls({ baseUrl, tls }: InitOptions): void {
  if (tls === undefined) return;
  if (baseUrl === undefined || !baseUrl.startsWith('https:')) {
    throw new Refusal('--tls requires the address that phones will use, such as --base-url https://builds.example.com');
  }
  const host = hostnameOf(baseUrl);
  if (tls === 'acme' && (isIP(host) !== 0 || isLoopback(host))) {
    throw new Refusal(
      `public certificate authorities don't issue certificates for ${host}; use a host name, or --tls internal`,
    );
  }
}

interface Ports {
  port: number;
  /** 0 for none. */
  httpPort: number;
}

/** A server that terminates TLS listens on the port of base_url. On the default port it also serves plain http on port 80. */
function portsOf({ baseUrl, port, tls }: InitOptions): Ports {
  if (tls === undefined || baseUrl === undefined) return { port: port ?? 8080, httpPort: 0 };
  const own = port ?? Number(new URL(baseUrl).port || 443);
  return { port: own, httpPort: own === 443 ? 80 : 0 };
}

function renderConfig(folder: string, options: InitOptions): string {
  const { baseUrl, tls } = options;
  const { port, httpPort } = portsOf(options);
  const secret = () => randomBytes(32).toString('base64url');
  return `# Taxiway's configuration. Every key with its default: config.example.toml. Check it with "taxiway check".

[server]
host = ${tls === undefined ? '"127.0.0.1"' : '"::"'}
port = ${port}
# Address that phones and browsers use; iOS installs need https.
${baseUrl === undefined ? '# base_url = "https://builds.example.com"' : `base_url = ${JSON.stringify(baseUrl)}`}
data_dir = ${JSON.stringify(join(folder, 'data'))}
# Addresses of the proxies in front, such as ["127.0.0.1"].
trusted_proxies = []
${renderSecretKey(folder, secret)}
${tls === undefined || baseUrl === undefined ? '' : renderTls(tls, hostnameOf(baseUrl), httpPort)}
[metrics]
# GET /metrics with "Authorization: Bearer" and this token.
token = "${secret()}"
`;
}

function renderTls(mode: 'acme' | 'internal', host: string, httpPort: number): string {
  const domains =
    mode === 'acme'
      ? `# With these names, you agree to the terms of the certificate authority.\nacme_domains = [${JSON.stringify(host)}]\n`
      : '';
  const http =
    '# The server also listens for plain HTTP on this port: it answers challenges, offers the trust page, and redirects the rest; 0 for none.';
  return `\n[server.tls]\nmode = "${mode}"\n${domains}${http}\nhttp_port = ${httpPort}\n`;
}

/** Existing data was encrypted with its own key and can't be read with another one. */
function renderSecretKey(folder: string, secret: () => string): string {
  if (existsSync(join(folder, 'data', 'secret.key')))
    return '# The key of the data that is here already stays in its file: data/secret.key.';
  return `# Signs tokens and links and encrypts secrets. Keep it with your backups: without it they cannot be read.
secret_key = "${secret()}"`;
}

/** systemd opens the ports and keeps them open while the server restarts, so that requests wait instead of failing. */
function renderSocketUnit({ port, httpPort }: Ports, { tls }: InitOptions): string {
  // Without an address, systemd listens on all.
  const address = tls === undefined ? '127.0.0.1:' : '';
  const ports = httpPort === 0 ? [port] : [port, httpPort];
  return `[Unit]
Description=Ports of Taxiway, open while it restarts

[Socket]
# As in config.toml: server.port, then server.tls.http_port.
${ports.map((number) => `ListenStream=${address}${number}\n`).join('')}
[Install]
WantedBy=sockets.target
`;
}

function renderUnit(folder: string, configFile: string): string {
  const words = [executablePath(), ...(isExecutable() ? [] : ['--disable-sigusr1', process.argv[1] ?? ''])];
  const start = quoteCommand([...words, 'serve', '--config', configFile]);
  return `[Unit]
Description=Taxiway, distribution of mobile test builds
Requires=taxiway.socket
Wants=network-online.target
After=network-online.target taxiway.socket

[Service]
Type=exec
User=${accountName() ?? process.getuid?.()}
WorkingDirectory=${folder.replaceAll('%', '%%')}
ExecStart=${start}
Restart=on-failure
RestartSec=2
TimeoutStopSec=15
UMask=0077
${CONFINEMENT}ReadWritePaths=${quoteForSystemd(join(folder, 'data'))}

[Install]
WantedBy=multi-user.target
`;
}
