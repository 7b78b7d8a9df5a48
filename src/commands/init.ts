// taxiway init: a configuration with fresh secrets, and a systemd unit when asked.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { isExecutable } from '../platform/assets.ts';
import { describeFailure, Refusal } from './failure.ts';
import type { CommandHost } from './host.ts';

interface InitOptions {
  baseUrl?: string;
  port?: number;
  systemd?: boolean;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  taxiway init
  taxiway init /srv/taxiway --base-url https://builds.example.com --systemd
`;

export function buildInitCommand(host: CommandHost): Command {
  return new Command('init')
    .description('Writes config.toml with fresh secrets, readable by its owner only. Nothing is overwritten.')
    .argument('[dir]', 'folder for it, made when missing', '.')
    .option('--base-url <address>', 'address that phones and browsers will use', readOrigin)
    .option('--port <number>', 'port to listen on', readPort)
    .option('--systemd', 'also write taxiway.service')
    .option('--json', 'print the files written as JSON')
    .addHelpText('after', EXAMPLES)
    .action((dir: string, options: InitOptions) => init(host, resolve(host.cwd, dir), options));
}

function readOrigin(value: string): string {
  const url = URL.parse(value);
  const isOrigin =
    url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href && url.hostname !== '';
  if (!isOrigin)
    throw new InvalidArgumentError(
      'It wants an http or https address without path, such as https://builds.example.com.',
    );
  return url.origin;
}

function readPort(value: string): number {
  const port = /^\d{1,5}$/.test(value) ? Number(value) : 0;
  if (port < 1 || port > 65_535) throw new InvalidArgumentError('It wants a number from 1 to 65535.');
  return port;
}

function init(host: CommandHost, folder: string, options: InitOptions): void {
  const configFile = join(folder, 'config.toml');
  const unitFile = options.systemd === true ? join(folder, 'taxiway.service') : null;
  for (const file of [configFile, unitFile]) {
    if (file !== null && existsSync(file)) throw new Refusal(`${file} exists already and is left as it is`);
  }
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(configFile, renderConfig(folder, options), { mode: 0o600, flag: 'wx' });
    if (unitFile !== null) writeFileSync(unitFile, renderUnit(folder, configFile), { mode: 0o644, flag: 'wx' });
  } catch (error) {
    throw new Refusal(`cannot write the configuration: ${describeFailure(error)}`);
  }
  if (options.json === true) {
    host.print(`${JSON.stringify({ config_file: configFile, unit_file: unitFile }, null, 2)}\n`);
    return;
  }
  host.print(`${configFile}\n`);
  if (unitFile === null) {
    host.say(`Start it there with "taxiway serve".\n`);
    return;
  }
  host.print(`${unitFile}\n`);
  host.say(`Install it: sudo systemctl enable --now ${unitFile}\n`);
}

function renderConfig(folder: string, { baseUrl, port }: InitOptions): string {
  const secret = () => randomBytes(32).toString('base64url');
  return `# Taxiway's configuration. Every key with its default: config.example.toml. Check it with "taxiway check".

[server]
host = "127.0.0.1"
port = ${port ?? 8080}
# Address that phones and browsers use; iOS installs need https.
${baseUrl === undefined ? '# base_url = "https://builds.example.com"' : `base_url = ${JSON.stringify(baseUrl)}`}
data_dir = ${JSON.stringify(join(folder, 'data'))}
# Addresses of the proxies in front, such as ["127.0.0.1"].
trusted_proxies = []
${renderSecretKey(folder, secret)}

[metrics]
# GET /metrics with "Authorization: Bearer" and this token.
token = "${secret()}"
`;
}

/** Data that is there already was made with a key of its own; another one would lock it up. */
function renderSecretKey(folder: string, secret: () => string): string {
  if (existsSync(join(folder, 'data', 'secret.key')))
    return '# The key of the data that is here already stays in its file: data/secret.key.';
  return `# Signs tokens and links and encrypts secrets. Keep it with your backups: without it they cannot be read.
secret_key = "${secret()}"`;
}

function renderUnit(folder: string, configFile: string): string {
  const words = [process.execPath, ...(isExecutable() ? [] : [process.argv[1] ?? ''])];
  const start = [...words, 'serve', '--config', configFile].map(quoteForSystemd).join(' ');
  return `[Unit]
Description=Taxiway, distribution of mobile test builds
Wants=network-online.target
After=network-online.target

[Service]
Type=exec
User=${userInfo().username}
WorkingDirectory=${folder.replaceAll('%', '%%')}
ExecStart=${start}
Restart=on-failure
RestartSec=2
TimeoutStopSec=15
UMask=0077
NoNewPrivileges=true
PrivateTmp=true
ProtectSystem=strict
ReadWritePaths=${quoteForSystemd(folder)}

[Install]
WantedBy=multi-user.target
`;
}

/** One word of a unit file: quotes, and no specifiers or variables (systemd.syntax, "Quoting"). */
function quoteForSystemd(word: string): string {
  const literal = word.replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w@%+=:,./$-]+$/.test(literal) ? literal : `"${literal.replace(/[\\"]/g, '\\$&')}"`;
}
