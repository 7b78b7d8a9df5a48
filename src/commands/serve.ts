// taxiway serve: applies migrations and runs the server until it receives a signal.
import { X509Certificate } from 'node:crypto';
import { Command } from 'commander';
import type { Config } from '../config.ts';
import type { App } from '../core/context.ts';
import { MINUTE } from '../lib/clock.ts';
import { withProgramName } from '../lib/program-name.ts';
import { takePassedSockets } from '../runtime/passed-sockets.ts';
import { releaseStartMemory } from '../runtime/start-memory.ts';
import type { Server } from '../server.ts';
import { addConfigOption, type ConfigOptions, loadCommandConfig } from './configuration.ts';
import { type CommandHost, changeHost } from './host.ts';
import { explainFailure } from './open-app.ts';
import { printSetupLink } from './setup-link.ts';

const STOP_DEADLINE_MS = 9_500;
/** How often the server checks whether it needs a new setup link. */
const SETUP_CHECK_MS = MINUTE;
const EVERY_ADDRESS = new Set(['::', '0.0.0.0']);
/** SIGHUP is sent when the terminal closes. */
const STOP_SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
type StopSignal = keyof typeof STOP_SIGNALS;
/** A stopped server waits at most this long until its messages are written. */
const MESSAGES_TIMEOUT_MS = 1_000;

const EXAMPLES = `
Examples:
  taxiway serve
  TAXIWAY_SERVER__PORT=9000 taxiway serve --config /etc/taxiway/config.toml
`;

export function buildServeCommand(host: CommandHost): Command {
  return addConfigOption(new Command('serve'))
    .description(
      'Applies database migrations and starts the server. Before setup, prints a link to create the first admin account.',
    )
    .addHelpText('after', EXAMPLES)
    .action((options: ConfigOptions) => serve(withTypedCommands(host), loadCommandConfig(host, options)));
}

/** A server prints only messages, so its output shows commands as the user has to type them. */
function withTypedCommands(host: CommandHost): CommandHost {
  return changeHost(host, { print: (text) => host.print(withProgramName(text, host.program)) });
}

async function serve(host: CommandHost, config: Config): Promise<void> {
  const { createServer } = await import('../server.ts');
  const overrides = { onDatabaseUnsafe: exitUnsafe(host), sockets: takePassedSockets(process.env, process.pid) };
  const server = await explainFailure(config, () => createServer(config, overrides));
  exitOnUncaught(server.app);
  const { stopped, isStopping } = stopOnSignal(server, host);
  let stopSetup = () => {};
  try {
    await explainFailure(config, () => server.start());
    if (isStopping()) return await stopped;
    const { base_url: baseUrl, host: address, tls } = server.app.config.server;
    const everywhere = EVERY_ADDRESS.has(address) ? ' and all other addresses of this machine' : '';
    host.print(`Listening on ${server.url}${everywhere}\n`);
    if (baseUrl !== server.url) host.print(`Links point to ${baseUrl}\n`);
    if (tls.mode === 'internal') await printTrustAddress(host, server.app);
    stopSetup = await printSetupLinks(host, server.app);
    releaseStartMemory();
  } catch (error) {
    await server.stop();
    throw error;
  }
  await stopped.finally(() => stopSetup());
}

/** Prints where phones can trust the server's own certificate authority, and its fingerprint. */
async function printTrustAddress(host: CommandHost, app: App): Promise<void> {
  const { loadAuthority } = await import('../certificates/authority.ts');
  const { fingerprint256 } = new X509Certificate((await loadAuthority(app)).certificate);
  host.print(
    `Each phone has to trust its certificate authority once: ${app.config.server.base_url}/trust, SHA-256 ${fingerprint256}\n`,
  );
}

/**
 * Prints a setup link while the server isn't set up, and a new one when the last one expires. Returns a function that
 * ends that.
 */
async function printSetupLinks(host: CommandHost, app: App): Promise<() => void> {
  const { createSetupLink, isSetupPending, renewSetupLink } = await import('../accounts/setup.ts');
  const print = async (link: ReturnType<typeof createSetupLink>) => {
    await app.db.durability.settle();
    await printSetupLink(host, link);
  };
  if (isSetupPending(app)) await print(createSetupLink(app));
  const timer = setInterval(() => {
    try {
      const link = renewSetupLink(app);
      if (link !== undefined) void print(link);
    } catch (error) {
      app.log.warn({ err: error }, 'setup link not renewed');
    }
  }, SETUP_CHECK_MS);
  return () => clearInterval(timer);
}

/** `stopped` settles when the server has stopped after a signal. A second signal ends the process immediately. */
function stopOnSignal(server: Server, host: CommandHost): { stopped: Promise<void>; isStopping: () => boolean } {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let isStopping = false;
  const onSignal = (signal: StopSignal): void => {
    if (isStopping) process.exit(128 + STOP_SIGNALS[signal]);
    isStopping = true;
    host.say('Stopping after running requests are finished. Send the signal again to stop immediately.\n');
    // Some parts may still be open, but all acknowledged data is on disk.
    setTimeout(() => process.exit(0), STOP_DEADLINE_MS).unref();
    server
      .stop()
      .finally(() => setTimeout(() => process.exit(), MESSAGES_TIMEOUT_MS).unref())
      .then(resolve, reject);
  };
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  return { stopped: promise, isStopping: () => isStopping };
}

/** Exits immediately and closes nothing, because closing would write. */
function exitUnsafe(host: CommandHost): (error: Error) => void {
  return (error) => {
    host.say(`taxiway: ${error.message}\n`);
    process.exit(1);
  };
}

/** Logs an uncaught exception and ends the process, because its state is unknown. */
function exitOnUncaught(app: App): void {
  process.on('uncaughtException', (error) => {
    app.log.fatal({ err: error }, 'uncaught exception');
    process.exit(1);
  });
}
